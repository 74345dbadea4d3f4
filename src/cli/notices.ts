import type { Observer } from "../client/exchange.ts";
import type { World } from "../context/world.ts";
import type { Notes } from "./notes.ts";
import type { Settings } from "./settings.ts";

/** Watches the answers: shows each with `--debug`, and tells once, with its date, that something will end. */
export function notices({ debug }: Settings, { stderr }: World, { say }: Notes): Observer {
  const told = new Set<string>();
  return ({ method, url, status, milliseconds, header }) => {
    if (debug) void stderr.write(`${method} ${url} -> ${status} in ${Math.round(milliseconds)} ms\n`);
    const sunset = header("sunset");
    const deprecation = header("deprecation");
    const path = new URL(url).pathname;
    if ((sunset === null && deprecation === null) || told.has(path)) return;
    told.add(path);
    say(`${path} is deprecated${sunset ? `; it stops being served on ${day(sunset)}` : ""}.`);
  };
}

const day = (text: string): string => {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toISOString().slice(0, 10);
};
