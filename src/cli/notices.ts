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
    const both = `${deprecation} ${sunset}`;
    if ((sunset === null && deprecation === null) || told.has(both)) return;
    told.add(both);
    say(
      `${new URL(url).pathname} is deprecated${since(deprecation)}${sunset === null ? "" : `; ${end(sunset, now())}`}.`,
    );
  };
}

/** Pictures are long. */
const shortened = (text: string): string =>
  text.length > 500 ? `${text.slice(0, 500)}… (${text.length} characters)` : text;

/** A deprecation is `true`, or says since when. */
function since(deprecation: string | null): string {
  const date = dateOf(deprecation ?? "");
  return date ? ` since ${day(date)}` : "";
}

function end(sunset: string, now: number): string {
  const date = dateOf(sunset);
  if (date && date.getTime() <= now) {
    return `it was to be served until ${day(date)}, which has passed: it may stop working at any time`;
  }
  if (date) return `it stops being served on ${day(date)}`;
  const told = legible(sunset);
  return told === ""
    ? "it stops being served on a day that it does not tell"
    : `it stops being served: ${told}`;
}

/** What cannot be read as a date, as it came, but in one line that a terminal bears. */
const legible = (text: string): string => {
  const plain = text.replace(/[^ -~]/g, "").trim();
  return plain.length > 60 ? `${plain.slice(0, 60)}…` : plain;
};

/** A date in words or numbers, or a moment in seconds with an `@` before it; nothing for what is neither. */
function dateOf(text: string): Date | undefined {
  const seconds = /^@(-?\d+)$/.exec(text.trim())?.[1];
  const date = seconds === undefined ? new Date(text) : new Date(Number(seconds) * 1000);
  const known = /\d{4}/.test(text) || seconds !== undefined;
  return known && date.getTime() <= lastDay ? date : undefined;
}

/** What comes after the year 9999 is no date that somebody meant. */
const lastDay = Date.UTC(9999, 11, 31);

const day = (date: Date): string => date.toISOString().slice(0, 10);
