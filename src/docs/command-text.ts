import {
  argText,
  type CommandNode,
  type FlagNode,
  spellings,
  textWithNotes,
  usageWords,
} from "../command-kit/tree.ts";
import { bold, examples, italic, list, plain, subsection, typed } from "./roff.ts";

/** The subsection of a command in the manual page of its noun. */
export const commandText = (spec: CommandNode): string =>
  subsection(
    bold(["gpuctl", ...spec.path].join(" ")),
    `${plain(spec.summary)}.`,
    ...detailsOf(spec),
    list(spec.args.map((word) => [italic(word.name), plain(argText(word))])),
    flagList(spec.flags),
    examples(spec.examples),
  );

/** Paragraphs; indented lines are code. */
const detailsOf = ({ details = "" }: CommandNode): readonly string[] =>
  details
    .split(/\n(?= )|(?<=^ .*)\n/m)
    .map((part) => (part.startsWith(" ") ? typed([part.trim()]) : plain(part)));

export const usage = (spec: CommandNode): string =>
  [bold(["gpuctl", ...spec.path].join(" ")), ...usageWords(spec, italic), `[${italic("FLAGS")}]`].join(" ");

export const flagList = (flags: readonly FlagNode[]): string =>
  list(
    flags.map((flag) => [spellings(flag).map(bold).join(", ") + valueText(flag), plain(textWithNotes(flag))]),
  );

/** The value of a flag, in brackets when optional. */
function valueText({ value, optionalValue }: FlagNode): string {
  if (value === undefined) return "";
  return optionalValue === undefined ? ` ${italic(value)}` : ` [${italic(value)}]`;
}
