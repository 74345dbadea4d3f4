import { argText, type CommandNode, type FlagNode, usageWords } from "../../command-kit/tree.ts";
import { topics } from "../../core/topics.ts";
import { nouns } from "../generated/tree.ts";
import { flagRow, globalNames, groupedFlags, groupedGlobals } from "./flags.ts";
import { listing, page, paragraph, type Row, section, titled } from "./layout.ts";
import type { HelpLook } from "./look.ts";

/** Help for gpuctl itself, a group of commands or a command; undefined for any other words. */
export function helpFor(path: readonly string[], look: HelpLook): string | undefined {
  if (path.length === 0) return rootHelp(look);
  const noun = nouns.find(({ name }) => name === path[0]);
  const inside = noun?.commands.filter(isAt(path)) ?? [];
  const own = inside.find((spec) => spec.path.length === path.length);
  if (own) return commandHelp(own, look);
  return noun && inside.length > 0 ? groupHelp(path, noun.summary, inside, look) : undefined;
}

/** The words that can follow a path. */
export function wordsAt(path: readonly string[]): readonly string[] {
  if (path.length === 0) return nouns.map(({ name }) => name);
  const inside = nouns.flatMap(({ commands }) => commands).filter(isAt(path));
  return [...new Set(inside.flatMap((spec) => spec.path[path.length] ?? []))];
}

const isAt =
  (path: readonly string[]) =>
  (spec: CommandNode): boolean =>
    path.every((word, at) => spec.path[at] === word);

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
        "Run `gpuctl COMMAND --help` for more about a command, and `gpuctl help TOPIC` for a topic.",
        look,
      ),
    ],
  );

const rootExamples = [
  { text: "Rent a machine in the sandbox", command: "gpuctl rentals create vm --gpus 1 --sandbox" },
  { text: "List your rentals", command: "gpuctl rentals list --sandbox" },
  { text: "Generate an image", command: 'gpuctl image "a lighthouse at dusk" --sandbox' },
];

/** Help for a noun, or for a group below it such as `rentals create`. */
function groupHelp(
  path: readonly string[],
  summary: string,
  commands: readonly CommandNode[],
  look: HelpLook,
): string {
  const rows = commands.map((spec): Row => [spec.path.slice(path.length).join(" "), spec.summary]);
  return page(
    [`gpuctl ${path.join(" ")} COMMAND [FLAGS]`, summary],
    section("Commands", rows, look),
    globalNames(look),
    [paragraph(`Run \`gpuctl ${path.join(" ")} COMMAND --help\` for more about a command.`, look)],
  );
}

function commandHelp(spec: CommandNode, look: HelpLook): string {
  const { required, optional, other } = groupedFlags(spec);
  const subcommands = nouns.flatMap(({ commands }) => commands).filter((one) => isBelow(one, spec));
  const rows = (flags: readonly FlagNode[]) => flags.map(flagRow);
  return page(
    [usage(spec), paragraph(spec.summary, look), ...(spec.details ? [paragraph(spec.details, look)] : [])],
    section(
      "Arguments",
      spec.args.map((word): Row => [word.name, argText(word)]),
      look,
    ),
    section("Required flags", rows(required), look),
    section("Optional flags", rows(optional), look),
    section(required.length + optional.length > 0 ? "Other flags" : "Flags", rows(other), look),
    listing("Limits", spec.limits, look),
    section(
      "Commands",
      subcommands.map(({ path, summary }): Row => [path.slice(spec.path.length).join(" "), summary]),
      look,
    ),
    globalNames(look),
    titled("Examples", drawExamples(spec.examples), look),
  );
}

const isBelow = (other: CommandNode, spec: CommandNode): boolean =>
  other.path.length > spec.path.length && isAt(spec.path)(other);

const usage = (spec: CommandNode): string =>
  ["gpuctl", ...spec.path, ...usageWords(spec), "[FLAGS]"].join(" ");

const drawExamples = (examples: CommandNode["examples"]): readonly string[] =>
  examples.flatMap(({ text, command }) => [`  # ${text}`, `  ${command}`]);
