import { flagsOf } from "../commands/flags.ts";
import { type ShownFlag, shownFlag, textWithNotes } from "../commands/shown-flag.ts";
import type { CommandSpec } from "../commands/spec.ts";
import { usageWords, wordText } from "../commands/usage-words.ts";
import { bold, examples, italic, list, plain, subsection, typed } from "./roff.ts";

/** A command in the manual page of its noun. */
export const commandText = (spec: CommandSpec): string =>
  subsection(
    bold(["gpuctl", ...spec.path].join(" ")),
    `${plain(spec.summary)}.`,
    ...detailsOf(spec),
    list((spec.positionals ?? []).map((word) => [italic(word.name), plain(wordText(word))])),
    flagList(flagsOf(spec).map(shownFlag(spec))),
    examples(spec.examples),
  );

/** Paragraphs; lines that are indented are typed as they stand. */
const detailsOf = ({ details = "" }: CommandSpec): readonly string[] =>
  details
    .split(/\n(?= )|(?<=^ .*)\n/m)
    .map((part) => (part.startsWith(" ") ? typed([part.trim()]) : plain(part)));

/** The line that shows how a command is typed. */
export const usage = (spec: CommandSpec): string =>
  [bold(["gpuctl", ...spec.path].join(" ")), ...usageWords(spec, italic), `[${italic("FLAGS")}]`].join(" ");

export const flagList = (flags: readonly ShownFlag[]): string =>
  list(flags.map((flag) => [flag.names.map(bold).join(", ") + valueText(flag), plain(textWithNotes(flag))]));

/** A value in brackets may be left out. */
function valueText({ value, bare }: ShownFlag): string {
  if (value === undefined) return "";
  return bare ? ` [${italic(value)}]` : ` ${italic(value)}`;
}
