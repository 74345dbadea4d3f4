import type { CommandFlag } from "../commands/flags.ts";
import { topics } from "../commands/help/topics.ts";
import { nouns } from "../commands/index.ts";
import { shownFlag } from "../commands/shown-flag.ts";
import type { CommandSpec } from "../commands/spec.ts";
import { usageWords, wordText } from "../commands/usage-words.ts";
import { routes } from "../contract/generated/routes.ts";
import { flagRow, globalNames, groupedFlags, groupedGlobals } from "./help-flags.ts";
import { listing, page, paragraph, type Row, section, titled } from "./help-layout.ts";
import type { HelpLook } from "./help-look.ts";

/** Help of a place on the command line: gpuctl itself, a group of commands or a command; nothing for any other words. */
export function helpFor(path: readonly string[], look: HelpLook): string | undefined {
  if (path.length === 0) return rootHelp(look);
  const noun = nouns.find(({ name }) => name === path[0]);
  const inside = noun?.commands.filter(isAt(path)) ?? [];
  const own = inside.find((spec) => spec.path.length === path.length);
  if (own) return commandHelp(own, look);
  return noun && inside.length > 0 ? groupHelp(path, noun.summary, inside, look) : undefined;
}

/** The words that may follow a place. */
export function wordsAt(path: readonly string[]): readonly string[] {
  if (path.length === 0) return nouns.map(({ name }) => name);
  const inside = nouns.flatMap(({ commands }) => commands).filter(isAt(path));
  return [...new Set(inside.flatMap((spec) => spec.path[path.length] ?? []))];
}

const isAt =
  (path: readonly string[]) =>
  (spec: CommandSpec): boolean =>
    path.every((word, at) => spec.path[at] === word);

/** Help of gpuctl itself. */
const rootHelp = (look: HelpLook): string =>
  page(
    ["gpuctl COMMAND [FLAGS]", "Rent GPUs and run inference on a GPU cloud. --sandbox needs no account."],
    section(
      "Commands",
      nouns.map(({ name, summary }): Row => [name, summary]),
      look,
    ),
    ...groupedGlobals().map(([group, flags]) =>
      section(`Global flags, ${group.toLowerCase()}`, flags.map(flagRow), look),
    ),
    section(
      "Topics",
      topics.map(({ name, summary }): Row => [name, summary]),
      look,
    ),
    titled("Examples", drawExamples(rootExamples), look),
    [
      paragraph(
        "`gpuctl COMMAND --help` tells more about a command, `gpuctl help TOPIC` about a topic.",
        look,
      ),
    ],
  );

const rootExamples = [
  { text: "Rent a machine in the sandbox", command: "gpuctl rentals create vm --gpus 1 --sandbox" },
  { text: "See what runs", command: "gpuctl rentals list --sandbox" },
  { text: "Draw a picture", command: 'gpuctl image "a lighthouse at dusk" --sandbox' },
];

/** Help of a noun, or of a part of it such as `rentals create`. */
function groupHelp(
  path: readonly string[],
  summary: string,
  commands: readonly CommandSpec[],
  look: HelpLook,
): string {
  const rows = commands.map((spec): Row => [spec.path.slice(path.length).join(" "), spec.summary]);
  return page(
    [`gpuctl ${path.join(" ")} COMMAND [FLAGS]`, summary],
    section("Commands", rows, look),
    globalNames(look),
    [paragraph(`\`gpuctl ${path.join(" ")} COMMAND --help\` tells more about a command.`, look)],
  );
}

/** Help of one command. */
function commandHelp(spec: CommandSpec, look: HelpLook): string {
  const { required, optional, other } = groupedFlags(spec);
  const beside = nouns.flatMap(({ commands }) => commands).filter((one) => isBelow(one, spec));
  const rows = (flags: readonly CommandFlag[]) => flags.map(shownFlag(spec)).map(flagRow);
  return page(
    [usage(spec), paragraph(spec.summary, look), ...(spec.details ? [paragraph(spec.details, look)] : [])],
    section(
      "Arguments",
      (spec.positionals ?? []).map((word): Row => [word.name, wordText(word)]),
      look,
    ),
    section("Required flags", rows(required), look),
    section("Optional flags", rows(optional), look),
    section(required.length + optional.length > 0 ? "Other flags" : "Flags", rows(other), look),
    listing("Limits", rulesOf(spec), look),
    section(
      "Commands",
      beside.map((one): Row => [one.path.slice(spec.path.length).join(" "), one.summary]),
      look,
    ),
    globalNames(look),
    titled("Examples", drawExamples(spec.examples), look),
  );
}

const isBelow = (other: CommandSpec, spec: CommandSpec): boolean =>
  other.path.length > spec.path.length && isAt(spec.path)(other);

const usage = (spec: CommandSpec): string =>
  ["gpuctl", ...spec.path, ...usageWords(spec), "[FLAGS]"].join(" ");

/** Limits that span several flags. */
const rulesOf = ({ operations: [main] }: CommandSpec): readonly string[] =>
  main === undefined ? [] : routes[main].rules;

const drawExamples = (examples: CommandSpec["examples"]): readonly string[] =>
  examples.flatMap(({ text, command }) => [`  # ${text}`, `  ${command}`]);
