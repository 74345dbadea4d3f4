import { fieldsOf, flagsOf } from "../../src/commands/flags.ts";
import type { CommandSpec } from "../../src/commands/spec.ts";

type Input = Readonly<Record<string, unknown>>;

/**
 * The words that give an input on a command's line, or nothing when no words can: the JSON type of a value is not one
 * that a flag makes, or the command finds a value for a field that is left out. `picture` is a file for `image`.
 */
export function typedAs(spec: CommandSpec, input: Input, picture: string): readonly string[] | undefined {
  const required = Object.keys(spec.found ?? {}).every((name) => input[name] !== undefined);
  if (!required) return undefined;
  const flags = Object.entries(input).map(([name, value]) => flagWords(spec, name, value, picture));
  if (flags.includes(undefined)) return undefined;
  const words = positionalWords(spec, input);
  return words && [...spec.path, ...flags.flatMap((some) => some ?? []), ...words];
}

function flagWords(spec: CommandSpec, name: string, value: unknown, picture: string) {
  if (spec.positionals?.some(({ field, gives }) => field === name || gives === name)) return [];
  if (name === "image") return ["--image", picture];
  const flag = flagsOf(spec).find(({ field }) => field?.name === name);
  if (flag === undefined) return partWords(spec, name, Object(value));
  const [main = ""] = flag.names;
  switch (flag.field?.kind) {
    case "boolean":
      return typeof value === "boolean" ? [`--${value ? "" : "no-"}${main}`] : undefined;
    case "list":
      return Array.isArray(value) && value.length > 0
        ? some(value.map((item) => textOf(item, flag.field?.item?.kind)))?.flatMap((text) => [
            `--${main}`,
            text,
          ])
        : undefined;
    case "map":
      return Object.entries(Object(value)).flatMap(([key, item]) => [`--${main}`, `${key}:${item}`]);
    default:
      return some([textOf(value, flag.field?.kind)])?.flatMap((text) => [`--${main}`, text]);
  }
}

/** A field made of the parts that other flags give: exactly one of the shapes must have flags for what is there. */
function partWords(spec: CommandSpec, name: string, parts: Input): readonly string[] | undefined {
  const { shapes } = fieldsOf(spec).find((field) => field.name === name) ?? {};
  const shape = shapes?.find((fields) =>
    fields.some(({ name: part, constant }) => constant !== undefined && constant === parts[part]),
  );
  if (!shape) return undefined;
  const words = shape
    .filter((field) => field.constant === undefined && parts[field.name] !== undefined)
    .map((field) => {
      const flag = spec.flags?.find(({ gives }) => gives?.includes(`${name}.${field.name}`));
      const text = textOf(parts[field.name], field.kind);
      return flag && text !== undefined ? [`--${flag.names[0]}`, text] : undefined;
    });
  const given = some(words)?.flat();
  return given?.length === 0 ? undefined : given;
}

/** Words stand in order: after the first one that is left out there is none. */
function positionalWords(spec: CommandSpec, input: Input): readonly string[] | undefined {
  const words: string[] = [];
  for (const positional of spec.positionals ?? []) {
    const value = positional.gives ? wordsOf(input[positional.gives]) : input[positional.field ?? ""];
    const texts = some((Array.isArray(value) ? value : [value]).map((one) => textOf(one ?? "", "id")));
    if (texts === undefined) return undefined;
    if (value === undefined || texts.length === 0) break;
    words.push(...texts);
  }
  return words;
}

/** What a user says. Messages of another kind come out as something that no word is. */
function wordsOf(messages: unknown): unknown {
  if (messages === undefined) return undefined;
  const [{ role, content } = {}, ...others] = Array.isArray(messages) ? messages : [];
  return role === "user" && others.length === 0 ? content : { messages };
}

/** A text that is read back as the value. An Id that is a number but out of range would be read back as a text. */
function textOf(value: unknown, kind: string | undefined): string | undefined {
  if (kind === "id" && typeof value === "number") {
    return Number.isSafeInteger(value) && value > 0 ? String(value) : undefined;
  }
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

const some = <Value>(values: readonly (Value | undefined)[]): readonly Value[] | undefined =>
  values.some((value) => value === undefined) ? undefined : values.filter((value) => value !== undefined);
