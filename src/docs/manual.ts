import { everywhere, type GlobalNode, type Noun } from "../command-kit/tree.ts";
import { topics } from "../core/topics.ts";
import { commandText, flagList, usage } from "./command-text.ts";
import { environmentOf, files, otherPlaces } from "./environment.ts";
import { exitCodes } from "./exit-codes.ts";
import { bold, examples, italic, list, literal, page, plain, section } from "./roff.ts";
import { topicPage } from "./topic-page.ts";
import { topicsOf } from "./topics/index.ts";

export interface Manual {
  readonly nouns: readonly Noun[];
  readonly globals: readonly GlobalNode[];
  readonly version: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
}

/** The manual pages, by the name of their file: one of gpuctl itself, one of each noun and one of each topic. */
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
      plain(
        "gpuctl rents virtual machines and bare metal with GPUs, keeps storage volumes and reserved terms,",
      ),
      plain("and asks models for pictures, chat and speech."),
      `With ${bold("--sandbox")} the whole service runs inside gpuctl: no account is needed and nothing is rented.`,
      "Results go to stdout and everything else to stderr.",
    ),
    section(
      "COMMANDS",
      list(nouns.map(({ name, summary }) => [reference(`gpuctl-${name}`), plain(summary)])),
    ),
    section("GLOBAL FLAGS", "They may stand anywhere on the line.", flagList([...globals, ...everywhere])),
    section(
      "ENVIRONMENT",
      "A flag wins over a variable, and a variable over the profile.",
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
      literal(otherPlaces),
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
      `${reference("gpuctl")} lists the exit codes, and the global flags, the environment and the files.`,
    ),
    section("SEE ALSO", [reference("gpuctl"), ...topicReferences].join(",\n")),
  ]);
