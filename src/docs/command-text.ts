import { flagsOf } from "../commands/flags.ts";
import type { CommandSpec } from "../commands/spec.ts";
import { type ShownFlag, shownFlag } from "./flag.ts";
import { bold, examples, italic, list, plain, subsection } from "./roff.ts";

/** A command in the manual page of its noun. */
export const commandText = (spec: CommandSpec): string =>
  subsection(
    bold(["gpuctl", ...spec.path].join(" ")),
    `${plain(spec.summary)}.`,
    spec.details ? plain(spec.details) : "",
    list((spec.positionals ?? []).map(({ name, text }) => [italic(name), plain(text)])),
    flagList(flagsOf(spec).map(shownFlag)),
    examples(spec.examples),
  );

/** The line that shows how a command is typed. */
export function usage(spec: CommandSpec): string {
  const words = (spec.positionals ?? []).map(({ name, required, variadic, stdin, unless }) => {
    const word = `${italic(name)}${variadic ? "..." : ""}`;
    return required && !stdin && !unless ? word : `[${word}]`;
  });
  return [bold(["gpuctl", ...spec.path].join(" ")), ...words, `[${italic("FLAGS")}]`].join(" ");
}

export const flagList = (flags: readonly ShownFlag[]): string =>
  list(
    flags.map(({ names, value, text, notes }) => [
      names.map(bold).join(", ") + (value ? ` ${italic(value)}` : ""),
      plain(notes.length > 0 ? `${text} (${notes.join("; ")})` : text),
    ]),
  );
