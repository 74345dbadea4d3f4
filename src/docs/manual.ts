import {
  argText,
  type CommandNode,
  type FlagNode,
  type GlobalNode,
  listedFlags,
  type Noun,
  spellings,
  standardFlags,
  textWithNotes,
  usageWords,
} from "../command-kit/tree.ts";
import { type Topic, type TopicPart, topics } from "../core/topics.ts";
import { environmentOf, files, otherPaths } from "./environment.ts";
import { exitCodes } from "./exit-codes.ts";
import { bold, examples, italic, list, literal, page, plain, section, subsection, verbatim } from "./roff.ts";
import { topicsOf } from "./topics.ts";

export interface Manual {
  readonly nouns: readonly Noun[];
  readonly globals: readonly GlobalNode[];
  readonly version: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
}

/** The manual pages by file name: one for gpuctl itself, one for each noun and one for each topic. */
export const manual = (about: Manual): Readonly<Record<string, string>> =>
  Object.fromEntries([
    ["gpuctl.1", rootPage(about)],
    ...about.nouns.map((noun) => [`gpuctl-${noun.name}.1`, nounPage(noun, about)]),
    ...topicsOf(about.globals).map((topic) => [`gpuctl-${topic.name}.7`, topicPage(topic, about)]),
  ]);

const reference = (name: string): string => `${bold(name)}(1)`;
const topicReferences = topics.map(({ name }) => `${bold(`gpuctl-${name}`)}(7)`);

const rootPage = ({ nouns, globals, version, date }: Manual): string =>
  page({ name: "gpuctl", number: 1, version, date }, [
    section("NAME", `gpuctl \\- ${plain("rent GPUs and run inference on a GPU cloud")}`),
    section("SYNOPSIS", `${bold("gpuctl")} ${italic("COMMAND")} [${italic("FLAGS")}]`),
    section(
      "DESCRIPTION",
      "gpuctl rents virtual machines and bare metal with GPUs, manages storage volumes and reserved terms, and generates images, chat answers and speech.",
      `With ${bold("--sandbox")} the whole service runs inside gpuctl: you need no account, and nothing is rented.`,
      "Results go to stdout and everything else to stderr.",
    ),
    section(
      "COMMANDS",
      list(nouns.map(({ name, summary }) => [reference(`gpuctl-${name}`), plain(summary)])),
    ),
    section(
      "GLOBAL FLAGS",
      `Global flags can appear anywhere on the command line before ${bold("--")}.`,
      flagList([...globals, ...standardFlags]),
    ),
    section(
      "ENVIRONMENT",
      "Flags override environment variables, and environment variables override the profile.",
      list(
        environmentOf(globals).map(({ name, meaning, flag }) => [
          bold(name),
          plain(meaning) + (flag ? `; same as ${bold(flag)}` : ""),
        ]),
      ),
    ),
    section(
      "FILES",
      list(files.map(([path, meaning]) => [italic(path), plain(meaning)])),
      literal(otherPaths),
    ),
    section("EXIT STATUS", list(exitCodes.map(([code, meaning]) => [bold(String(code)), plain(meaning)]))),
    section("EXAMPLES", examples(nouns.flatMap(({ commands }) => commands[0]?.examples[0] ?? []))),
    section(
      "SEE ALSO",
      [...nouns.map(({ name }) => reference(`gpuctl-${name}`)), ...topicReferences].join(",\n"),
    ),
  ]);

const nounPage = ({ name, summary, commands }: Noun, { version, date }: Manual): string =>
  page({ name: `gpuctl-${name}`, number: 1, version, date }, [
    section("NAME", `${literal(`gpuctl-${name}`)} \\- ${plain(summary)}`),
    section("SYNOPSIS", commands.map(usage).join("\n.br\n")),
    section("COMMANDS", ...commands.map(commandText)),
    section(
      "EXIT STATUS",
      `See ${reference("gpuctl")} for the exit codes, global flags, environment variables and files.`,
    ),
    section("SEE ALSO", [reference("gpuctl"), ...topicReferences].join(",\n")),
  ]);

/** The subsection of a command in the manual page of its noun. */
const commandText = (spec: CommandNode): string =>
  subsection(
    bold(["gpuctl", ...spec.path].join(" ")),
    `${plain(spec.summary)}.`,
    ...detailsOf(spec),
    list(spec.args.map((word) => [italic(word.name), plain(argText(word))])),
    flagList(spec.flags),
    examples(spec.examples),
  );

/** The details of a command as paragraphs. Indented lines are code. */
const detailsOf = ({ details = "" }: CommandNode): readonly string[] =>
  details
    .split(/\n(?= )|(?<=^ .*)\n/m)
    .map((part) => (part.startsWith(" ") ? verbatim([part.trim()]) : plain(part)));

const usage = (spec: CommandNode): string =>
  [bold(["gpuctl", ...spec.path].join(" ")), ...usageWords(spec, italic), `[${italic("FLAGS")}]`].join(" ");

const flagList = (flags: readonly FlagNode[]): string =>
  list(
    flags
      .flatMap(listedFlags)
      .map((flag) => [spellings(flag).map(bold).join(", ") + valueText(flag), plain(textWithNotes(flag))]),
  );

/** The value of a flag, in brackets when optional. */
function valueText({ value, optionalValue }: FlagNode): string {
  if (value === undefined) return "";
  return optionalValue === undefined ? ` ${italic(value)}` : ` [${italic(value)}]`;
}

const topicPage = ({ name, summary, sections }: Topic, { version, date }: Manual): string =>
  page({ name: `gpuctl-${name}`, number: 7, version, date }, [
    section("NAME", `${literal(`gpuctl-${name}`)} \\- ${plain(summary)}`),
    ...sections.map(({ heading, parts }) => section(heading.toUpperCase(), ...parts.map(roffOf))),
    section("SEE ALSO", `${bold("gpuctl")}(1)`),
  ]);

function roffOf(part: TopicPart): string {
  if (typeof part === "string") return literal(part);
  if ("terms" in part) return list(part.terms.map(([term, meaning]) => [bold(term), literal(meaning)]));
  return verbatim(part.code);
}
