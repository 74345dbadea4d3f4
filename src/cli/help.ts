import { type CommandFlag, flagsOf } from "../commands/flags.ts";
import { nouns } from "../commands/index.ts";
import {
  type ShownFlag,
  shownFlag,
  shownGlobals,
  shownValue,
  textWithNotes,
} from "../commands/shown-flag.ts";
import type { CommandSpec } from "../commands/spec.ts";
import { routes } from "../contract/generated/routes.ts";
import { globalFlags } from "./globals.ts";
import { listing, page, type Row, section } from "./help-layout.ts";

/** Help of a place on the command line: gpuctl itself, a group of commands or a command; nothing for any other words. */
export function helpFor(path: readonly string[]): string | undefined {
  if (path.length === 0) return rootHelp();
  const below = (spec: CommandSpec) => path.every((word, at) => spec.path[at] === word);
  const noun = nouns.find(({ name }) => name === path[0]);
  const inside = noun?.commands.filter(below) ?? [];
  const own = inside.find((spec) => spec.path.length === path.length);
  if (own) return commandHelp(own);
  return noun && inside.length > 0 ? groupHelp(path, noun.summary, inside) : undefined;
}

/** Help of gpuctl itself. */
const rootHelp = (): string =>
  page(
    ["gpuctl COMMAND [FLAGS]", "Rent GPUs and run inference on a GPU cloud. --sandbox needs no account."],
    section(
      "Commands",
      nouns.map(({ name, summary }): Row => [name, summary]),
    ),
    globalSection,
    section("Examples", [
      ["gpuctl rentals create vm --gpus 1 --sandbox", "rent a machine in the sandbox"],
      ["gpuctl rentals list --sandbox", "see what runs"],
      ['gpuctl image "a lighthouse at dusk" --sandbox', "draw a picture"],
    ]),
    ["`gpuctl COMMAND --help` tells more about a command."],
  );

/** Help of a noun, or of a part of it such as `rentals create`. */
function groupHelp(path: readonly string[], summary: string, commands: readonly CommandSpec[]): string {
  const rows = commands.map((spec): Row => [spec.path.slice(path.length).join(" "), spec.summary]);
  return page([`gpuctl ${path.join(" ")} COMMAND [FLAGS]`, summary], section("Commands", rows), [
    `\`gpuctl ${path.join(" ")} COMMAND --help\` tells more; the global flags are in \`gpuctl --help\`.`,
  ]);
}

/** Help of one command. */
function commandHelp(spec: CommandSpec): string {
  const flags = flagsOf(spec);
  const beside = nouns.flatMap(({ commands }) => commands).filter((other) => isBelow(other, spec));
  return page(
    [usage(spec), spec.summary, ...(spec.details ? [spec.details] : [])],
    section(
      "Arguments",
      (spec.positionals ?? []).map(({ name, text }): Row => [name, text]),
    ),
    section("Required", flags.filter(isRequired(spec)).map(shownFlag(spec)).map(flagRow)),
    section(
      "Flags",
      flags
        .filter((flag) => !isRequired(spec)(flag))
        .map(shownFlag(spec))
        .map(flagRow),
    ),
    rules(spec),
    section(
      "Commands",
      beside.map((other): Row => [other.path.slice(spec.path.length).join(" "), other.summary]),
    ),
    globalSection,
    ["Examples:", ...spec.examples.flatMap(({ text, command }) => [`  # ${text}`, `  ${command}`])],
  );
}

const isBelow = (other: CommandSpec, spec: CommandSpec): boolean =>
  other.path.length > spec.path.length && spec.path.every((word, at) => other.path[at] === word);

/** A flag without which the command cannot run. */
const isRequired =
  (spec: CommandSpec) =>
  ({ field }: CommandFlag): boolean =>
    field?.required === true &&
    !(field.name in (spec.found ?? {})) &&
    !spec.positionals?.some((positional) => positional.field === field.name);

function usage(spec: CommandSpec): string {
  const words = (spec.positionals ?? []).map(({ name, required, variadic, stdin, unless }) => {
    const word = variadic ? `${name}...` : name;
    return required && !stdin && !unless ? word : `[${word}]`;
  });
  return ["gpuctl", ...spec.path, ...words, "[FLAGS]"].join(" ");
}

const flagRow = (flag: ShownFlag): Row => [
  flag.names.join(", ").replace(/--([\w-]+), --no-\1/g, "--[no-]$1") +
    (flag.value ? ` ${shownValue(flag)}` : ""),
  textWithNotes(flag),
];

/** Limits that span several flags. */
const rules = ({ operations: [main] }: CommandSpec): readonly string[] =>
  listing("Limits", main === undefined ? [] : routes[main].rules);

const globalSection = section("Global flags", shownGlobals(globalFlags).map(flagRow));
