import { quoted } from "../../core/text.ts";
import type { CliGlobals, GlobalName } from "../parse/globals.ts";

/** The flags that select the service. A suggested next command needs the same flags. */
const names: readonly GlobalName[] = [
  "profile",
  "sandbox",
  "base-url",
  "inference-base-url",
  "insecure-http",
];

/** The flags on a command line that select the service, as words. */
export const serviceFlags = (globals: CliGlobals): readonly string[] =>
  names.flatMap((name) => {
    const value = globals[name];
    if (value === undefined || value === false) return [];
    if (value === true) return [`--${name}`];
    return value.startsWith("-") ? [`--${name}=${value}`] : [`--${name}`, value];
  });

/** A command line in a message, such as `gpuctl rentals list`; not one with a flag right after `gpuctl`. */
const suggested = /`(gpuctl [a-z][^`]*?)((?: -- [^`]*)?)`/g;

/** Matches command lines that need no service or already have a flag that selects the service. */
const complete = new RegExp(`^gpuctl (?:help|profile|sandbox serve)\\b| --(?:help|${names.join("|")})\\b`);

/** Adds the flags that select the service to the command lines that a message suggests, so that they work as shown. */
export function withServiceFlags(text: string, flags: readonly string[]): string {
  if (flags.length === 0) return text;
  return text.replace(suggested, (whole, line: string, rest: string) =>
    complete.test(line) ? whole : `\`${[line, ...flags.map(quoted)].join(" ")}${rest}\``,
  );
}
