import {
  argText,
  type CommandNode,
  type FlagNode,
  spellings,
  textWithNotes,
  usageWords,
} from "../command-kit/tree.ts";
import { bold, examples, italic, list, plain, subsection, typed } from "./roff.ts";

/** A command in the manual page of its noun. */
export const commandText = (spec: CommandNode): string =>
  subsection(
    bold(["gpuctl", ...spec.path].join(" ")),
    `${plain(spec.summary)}.`,
    ...detailsOf(spec),
    list(spec.args.map((word) => [italic(word.name), plain(argText(word))])),
    flagList(spec.flags),
    examples(spec.examples),
  );

/** Paragraphs; lines that are indented are typed as they stand. */
const detailsOf = ({ details = "" }: CommandNode): readonly string[] =>
  details
    .split(/\n(?= )|(?<=^ .*)\n/m)
    .map((part) => (part.startsWith(" ") ? typed([part.trim()]) : plain(part)));

/** The line that shows how a command is typed. */
export const usage = (spec: CommandNode): string =>
  [bold(["gpuctl", ...spec.path].join(" ")), ...usageWords(spec, italic), `[${italic("FLAGS")}]`].join(" ");

export const flagList = (flags: readonly FlagNode[]): string =>
  list(
    flags.map((flag) => [spellings(flag).map(bold).join(", ") + valueText(flag), plain(textWithNotes(flag))]),
  );

/** A value in brackets may be left out. */
function valueText({ value, optionalValue }: FlagNode): string {
  if (value === undefined) return "";
  return optionalValue === undefined ? ` ${italic(value)}` : ` [${italic(value)}]`;
}
