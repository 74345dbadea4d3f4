import type { Observer } from "../client/exchange.ts";
import type { World } from "../context/world.ts";
import type { Notes } from "./notes.ts";
import type { Settings } from "./settings.ts";

/** Watches the answers: shows each with `--debug`, and tells once, with its date, that something will end. */
export function notices(
  { debug }: Settings,
  { stderr, now }: Pick<World, "stderr" | "now">,
  { say }: Notes,
): Observer {
  const told = new Set<string>();
  return ({ method, url, body, status, milliseconds, header }) => {
    if (debug) {
      const end = `${status ?? "no answer"} in ${Math.round(milliseconds)} ms`;
      void stderr.write(
        `${method} ${url} -> ${end}\n${body === undefined ? "" : `  sent: ${shortened(body)}\n`}`,
      );
    }
    const sunset = header("sunset");
    const deprecation = header("deprecation");
    const path = new URL(url).pathname;
    if ((sunset === null && deprecation === null) || told.has(path)) return;
    told.add(path);
    say(`${path} is deprecated${since(deprecation)}${sunset === null ? "" : `; ${end(sunset, now())}`}.`);
  };
}

/** Pictures are long. */
const shortened = (text: string): string =>
  text.length > 500 ? `${text.slice(0, 500)}… (${text.length} characters)` : text;

/** A deprecation is `true`, a date, or a moment in seconds with an `@` before it. */
function since(deprecation: string | null): string {
  const seconds = /^@(-?\d{1,12})$/.exec(deprecation?.trim() ?? "")?.[1];
  const date = seconds === undefined ? dateOf(deprecation ?? "") : new Date(Number(seconds) * 1000);
  return date ? ` since ${day(date)}` : "";
}

function end(sunset: string, now: number): string {
  const date = dateOf(sunset);
  if (date && date.getTime() <= now) {
    return `it was to be served until ${day(date)}, which has passed: it may stop working at any time`;
  }
  return `it stops being served on ${date ? day(date) : sunset}`;
}

/** A date in words or numbers, or nothing. */
function dateOf(text: string): Date | undefined {
  const date = new Date(text);
  return /\d{4}/.test(text) && !Number.isNaN(date.getTime()) ? date : undefined;
}

const day = (date: Date): string => date.toISOString().slice(0, 10);
