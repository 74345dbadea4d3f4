import {
  argText,
  type CommandNode,
  type FlagNode,
  globalGroups,
  shownExamples,
  shownValue,
  spellings,
  standardFlags,
  textWithNotes,
  usageWords,
} from "../../command-kit/tree.ts";
import { topics } from "../../core/topics.ts";
import { globals, nouns } from "../generated/tree.ts";
import { drawRows, drawTexts, type HelpStyle, page, paragraph, type Row, section, titled } from "./layout.ts";

/** Help for gpuctl itself, a group of commands or a command; undefined for any other words. */
export function helpFor(path: readonly string[], style: HelpStyle): string | undefined {
  if (path.length === 0) return rootHelp(style);
  const noun = nouns.find(({ name }) => name === path[0]);
  const inside = commandsWithin(path);
  const own = inside.find((spec) => spec.path.length === path.length);
  if (own) return commandHelp(own, style);
  if (!noun || inside.length === 0) return undefined;
  const summary = noun.groups?.[path.slice(1).join(" ")] ?? noun.summary;
  return groupHelp(path, summary, inside, style);
}

/** The words that can follow a path. */
export function wordsAt(path: readonly string[]): readonly string[] {
  if (path.length === 0) return nouns.map(({ name }) => name);
  return [...new Set(commandsWithin(path).flatMap((spec) => spec.path[path.length] ?? []))];
}

/** The commands whose words begin with a path; all commands for an empty path. */
export const commandsWithin = (path: readonly string[]): readonly CommandNode[] =>
  nouns
    .filter(({ name }) => path.length === 0 || name === path[0])
    .flatMap(({ commandsBelow }) => commandsBelow(path.slice(1)));

/** What `gpuctl` without arguments prints: the commands, without the global flags, topics and examples. */
export const overview = (style: HelpStyle): string =>
  page([rootText.join("\n")], rootCommands(style), section("Learn more", learnMore, style));

const learnMore: readonly Row[] = [
  ["gpuctl setup", "Set up an account, or the sandbox, which needs none"],
  ["gpuctl COMMAND --help", "Show the flags and examples of a command"],
  ["gpuctl --help", "Show the global flags and help topics"],
];

const rootText: readonly string[] = [
  "gpuctl COMMAND [FLAGS]",
  "Rent GPUs and run inference on a GPU cloud. --sandbox needs no account.",
];

const rootCommands = (style: HelpStyle) => section("Commands", nouns.map(nameRow), style);

const rootHelp = (style: HelpStyle): string =>
  page(
    rootText,
    rootCommands(style),
    ...groupedGlobals.map(({ group, flags }) =>
      section(`Global flags, ${group.toLowerCase()}`, flags.map(flagRow), style),
    ),
    section("Topics", topics.map(nameRow), style),
    titled("Examples", drawExamples(rootExamples), style),
    [
      paragraph(
        "Run `gpuctl COMMAND --help` for more about a command, and `gpuctl help TOPIC` for a topic.",
        style,
      ),
    ],
  );

const nameRow = ({ name, summary }: { readonly name: string; readonly summary: string }): Row => [
  name,
  summary,
];

const rootExamples = [
  { text: "Rent a machine in the sandbox", command: "gpuctl rentals create vm --gpus 1 --sandbox" },
  { text: "List your rentals", command: "gpuctl rentals list --sandbox" },
  { text: "Generate an image", command: 'gpuctl image "a lighthouse at dusk" --sandbox' },
];

/** Help for a noun, or for a group below it such as `rentals create`. */
function groupHelp(
  path: readonly string[],
  summary: string,
  inside: readonly CommandNode[],
  style: HelpStyle,
): string {
  return page(
    [`gpuctl ${path.join(" ")} COMMAND [FLAGS]`, summary],
    section("Commands", commandRows(inside, path), style),
    globalNames(style),
    [paragraph(`Run \`gpuctl ${path.join(" ")} COMMAND --help\` for more about a command.`, style)],
  );
}

function commandHelp(spec: CommandNode, style: HelpStyle): string {
  const { summary, details, args, limits, path } = spec;
  const isSent = ({ field, setsFields }: FlagNode) => field !== undefined || setsFields !== undefined;
  const required = spec.flags.filter((flag) => flag.required);
  const optional = spec.flags.filter((flag) => !flag.required && isSent(flag));
  const other = spec.flags.filter((flag) => !flag.required && !isSent(flag));
  const subcommands = commandsWithin(path).filter((one) => one.path.length > path.length);
  return page(
    [usage(spec), ...[summary, details ?? ""].filter(Boolean).map((text) => paragraph(text, style))],
    section(
      "Arguments",
      args.map((word): Row => [word.name, argText(word)]),
      style,
    ),
    section("Required flags", required.map(flagRow), style),
    section("Optional flags", optional.map(flagRow), style),
    section(required.length + optional.length > 0 ? "Other flags" : "Flags", other.map(flagRow), style),
    titled("Limits", drawTexts(limits, style), style),
    section("Commands", commandRows(subcommands, path), style),
    globalNames(style),
    titled("Examples", drawExamples(spec.examples), style),
  );
}

const usage = (spec: CommandNode): string =>
  ["gpuctl", ...spec.path, ...usageWords(spec), "[FLAGS]"].join(" ");

const drawExamples = (examples: CommandNode["examples"]): readonly string[] =>
  shownExamples(examples).flatMap(({ text, lines }) => [`  # ${text}`, ...lines.map((line) => `  ${line}`)]);

/** A row for each command, with the words that follow a path. */
const commandRows = (inside: readonly CommandNode[], { length }: readonly string[]): readonly Row[] =>
  inside.map(({ path, summary }) => [path.slice(length).join(" "), summary]);

const flagRow = (flag: FlagNode): Row => [spelled(flag), textWithNotes(flag)];

const spelled = (flag: FlagNode): string =>
  spellings(flag)
    .join(", ")
    .replace(/--([\w-]+), --no-\1/g, "--[no-]$1") + (flag.value ? ` ${shownValue(flag)}` : "");

/** The global flags, grouped under their headings. */
const groupedGlobals: readonly { readonly group: string; readonly flags: readonly FlagNode[] }[] = [
  ...globalGroups.map((group) => ({ group, flags: globals.filter((flag) => flag.group === group) })),
  { group: "Other", flags: standardFlags },
];

/**
 * The global flags without descriptions, for the help of a command or a group. No-break spaces keep each flag on one
 * line.
 */
function globalNames(style: HelpStyle): readonly string[] {
  const rows = groupedGlobals.map(({ group, flags }): Row => {
    const names = flags.map((flag) => spelled(flag).replaceAll(" ", "\u00a0"));
    return [group, names.join("; ")];
  });
  const lines = drawRows(rows, style).map((line) => line.replaceAll("\u00a0", " "));
  return titled("Global flags (see `gpuctl help`)", lines, style);
}
