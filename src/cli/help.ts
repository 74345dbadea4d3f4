import { type CommandFlag, flagsOf } from "../commands/flags.ts";
import { nouns } from "../commands/index.ts";
import { limitsText } from "../commands/limits.ts";
import type { CommandSpec } from "../commands/spec.ts";
import { type GlobalFlag, globalFlags } from "./globals.ts";

type Row = readonly [left: string, right: string];

/** Columns of text that a line of help takes at most. */
const lineWidth = 100;
const widestLeft = 36;

/** Help of gpuctl itself. */
export const rootHelp = (): string =>
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
export function groupHelp(
  path: readonly string[],
  summary: string,
  commands: readonly CommandSpec[],
): string {
  const rows = commands.map((spec): Row => [spec.path.slice(path.length).join(" "), spec.summary]);
  return page([`gpuctl ${path.join(" ")} COMMAND [FLAGS]`, summary], section("Commands", rows), [
    `\`gpuctl ${path.join(" ")} COMMAND --help\` tells more; the global flags are in \`gpuctl --help\`.`,
  ]);
}

/** Help of one command. */
export function commandHelp(spec: CommandSpec): string {
  const flags = flagsOf(spec);
  const beside = nouns.flatMap(({ commands }) => commands).filter((other) => isBelow(other, spec));
  return page(
    [usage(spec), spec.summary, ...(spec.details ? [spec.details] : [])],
    section(
      "Arguments",
      (spec.positionals ?? []).map(({ name, text }): Row => [name, text]),
    ),
    section("Required", flags.filter(isRequired(spec)).map(flagRow)),
    section("Flags", flags.filter((flag) => !isRequired(spec)(flag)).map(flagRow)),
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
export const isRequired =
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

function flagRow(flag: CommandFlag): Row {
  const [main = "", ...others] = flag.names;
  const dashed = `--${flag.negatable ? "[no-]" : ""}${main}${flag.value ? ` ${flag.value}` : ""}`;
  const left = [flag.short ? `-${flag.short}, ` : "", dashed, ...others.map((name) => `, --${name}`)].join(
    "",
  );
  const limits = flag.field ? limitsText(flag.field) : "";
  const notes = [
    flag.choices && `one of ${flag.choices.join(", ")}`,
    limits,
    flag.default !== undefined && `default ${flag.default}`,
    flag.repeat && flag.value && "repeat or use commas",
  ].filter(Boolean);
  return [left, notes.length > 0 ? `${flag.text} (${notes.join("; ")})` : flag.text];
}

const globalSection = section("Global flags", [
  ...(globalFlags as readonly GlobalFlag[]).map(globalRow),
  ["-V, --version", "Print the version"],
  ["-h, --help", "Show help"],
]);

function globalRow({ name, short, value, negative, text, choices, env, default: usual }: GlobalFlag): Row {
  const left = `${short ? `-${short}, ` : ""}--${negative ? "no-" : ""}${name}${value ? ` ${value}` : ""}`;
  const notes = [choices?.join(", "), usual && `default ${usual}`, env].filter(Boolean);
  return [left, notes.length > 0 ? `${text} (${notes.join("; ")})` : text];
}

function section(title: string, rows: readonly Row[]): readonly string[] {
  if (rows.length === 0) return [];
  const left = Math.min(widestLeft, Math.max(...rows.map(([text]) => text.length)));
  return [`${title}:`, ...rows.flatMap((row) => drawRow(row, left))];
}

function drawRow([left, right]: Row, width: number): readonly string[] {
  const [first = "", ...rest] = wrap(right, lineWidth - width - 4);
  const indent = " ".repeat(width + 4);
  const fits = left.length <= width;
  const head = fits ? [`  ${left.padEnd(width)}  ${first}`] : [`  ${left}`, `${indent}${first}`];
  return [...head, ...rest.map((line) => indent + line)];
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

const page = (...parts: readonly (readonly string[])[]): string =>
  `${parts
    .filter((part) => part.length > 0)
    .map((part, index) => (index === 0 ? `Usage: ${part.join("\n\n")}` : part.join("\n")))
    .join("\n\n")}\n`;
