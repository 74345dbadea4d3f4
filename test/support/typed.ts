import type { CommandNode } from "../../src/command-kit/tree.ts";
import { routes } from "../../src/contract/generated/routes.ts";

type Input = Readonly<Record<string, unknown>>;

/**
 * The command-line arguments for an input. Undefined if no command line can express the input, because no flag or
 * argument can express one of its values, or because the command itself sets a field that the input omits. `picture` is
 * the file for the field `image`.
 */
export function typedAs(command: CommandNode, input: Input, picture: string): readonly string[] | undefined {
  const required = Object.keys(command.defaulted ?? {}).every((name) => input[name] !== undefined);
  if (!required) return undefined;
  const flags = Object.entries(input).map(([name, value]) => flagWords(command, name, value, picture));
  if (flags.includes(undefined)) return undefined;
  const words = argWords(command, input);
  return words && [...command.path, ...flags.flatMap((some) => some ?? []), ...words];
}

function flagWords(command: CommandNode, name: string, value: unknown, picture: string) {
  if (command.args.some(({ field, derivedField }) => field === name || derivedField === name)) return [];
  if (name === "image") return ["--image", picture];
  const flag = command.flags.find(({ field }) => field === name);
  if (flag === undefined) return partWords(command, name, Object(value));
  const [main] = flag.names;
  switch (flag.kind) {
    case "boolean":
      return typeof value === "boolean" ? [`--${value ? "" : "no-"}${main}`] : undefined;
    case "list":
      return Array.isArray(value) && value.length > 0
        ? allDefined(value.map((item) => textOf(item, flag.item)))?.flatMap((text) => [`--${main}`, text])
        : undefined;
    case "map":
      return Object.entries(Object(value)).flatMap(([key, item]) => [`--${main}`, `${key}:${item}`]);
    default:
      return allDefined([textOf(value, flag.kind)])?.flatMap((text) => [`--${main}`, text]);
  }
}

/** The flags for a field that is an object: one flag for each of its fields that has a value and is not a constant. */
function partWords(command: CommandNode, name: string, parts: Input): readonly string[] | undefined {
  const { operation } = command;
  const { shapes } = (operation && routes[operation].fields.find((field) => field.name === name)) ?? {};
  const shape = shapes?.find((fields) =>
    fields.some(({ name: part, constant }) => constant !== undefined && constant === parts[part]),
  );
  if (!shape) return undefined;
  const words = shape
    .filter((field) => field.constant === undefined && parts[field.name] !== undefined)
    .map((field) => {
      const flag = command.flags.find(({ setsFields }) => setsFields?.includes(`${name}.${field.name}`));
      const text = textOf(parts[field.name], field.kind);
      return flag && text !== undefined ? [`--${flag.names[0]}`, text] : undefined;
    });
  const given = allDefined(words)?.flat();
  return given?.length === 0 ? undefined : given;
}

/** The positional arguments. After the first one that is omitted, there can be no more. */
function argWords(command: CommandNode, input: Input): readonly string[] | undefined {
  const words: string[] = [];
  for (const arg of command.args) {
    const value = arg.derivedField ? wordsOf(input[arg.derivedField]) : input[arg.field ?? ""];
    const texts = allDefined((Array.isArray(value) ? value : [value]).map((one) => textOf(one ?? "", "id")));
    if (texts === undefined) return undefined;
    if (value === undefined || texts.length === 0) break;
    words.push(...texts);
  }
  return words;
}

/** The content of a single user message. Other messages give an object, which no argument can express. */
function wordsOf(messages: unknown): unknown {
  if (messages === undefined) return undefined;
  const [{ role, content } = {}, ...others] = Array.isArray(messages) ? messages : [];
  return role === "user" && others.length === 0 ? content : { messages };
}

/**
 * The text to type for a value. Undefined if there is none: for a numeric ID that is not a positive safe integer,
 * because gpuctl would parse it as a string, and for a value that is neither a string nor a number.
 */
function textOf(value: unknown, kind: string | undefined): string | undefined {
  if (kind === "id" && typeof value === "number") {
    return Number.isSafeInteger(value) && value > 0 ? String(value) : undefined;
  }
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** The values, or undefined if one of them is undefined. */
const allDefined = <Value>(values: readonly (Value | undefined)[]): readonly Value[] | undefined =>
  values.some((value) => value === undefined) ? undefined : values.filter((value) => value !== undefined);
