import { UsageError } from "../commands/errors.ts";
import { fieldsOf, kebab } from "../commands/flags.ts";
import { parseId, parseNumber } from "../commands/shared/values.ts";
import type { Args, CommandSpec } from "../commands/spec.ts";
import type { Field } from "../contract/field.ts";
import { noChoice } from "./nearest.ts";
import type { TypedFlag } from "./options.ts";
import type { Invocation } from "./program.ts";

/** Turns what was typed into values: fields by their kind, everything else as text. */
export function readArgs({ spec, flags, words, globals }: Invocation): Args {
  const scalar = globals.validate === false ? asTyped : readScalar;
  const own = new Set(spec.flags?.map((flag) => flag.names[0]));
  const fields = fieldsOf(spec).flatMap((field): [string, unknown][] => {
    const typed = own.has(kebab(field.name)) ? undefined : flags[kebab(field.name)];
    return typed === undefined ? [] : [[field.name, fieldValue(field, typed.value, typed.name, scalar)]];
  });
  const placed = placeWords(spec, words);
  for (const { name, choices, refused = {} } of spec.positionals ?? []) {
    const hint = Object.entries(refused).find(([word]) => word === placed[name])?.[1];
    if (hint) throw new UsageError(`${name} cannot be ${placed[name]}`, { hint });
    oneOf(choices, placed[name], name);
  }
  for (const { name, field } of spec.positionals ?? []) {
    const typed = placed[name];
    if (field === undefined || typed === undefined) continue;
    const known = fieldsOf(spec).find((one) => one.name === field);
    if (fields.some(([given]) => given === field)) throw twice(name, field);
    if (known) fields.push([field, fieldValue(known, typed, name, scalar)]);
  }
  return {
    fields: Object.fromEntries(fields),
    flags: {
      ...defaultsOf(spec),
      ...Object.fromEntries(
        Object.entries(flags)
          .filter(([name]) => own.has(name))
          .map(([name, { value }]) => [name, ownValue(spec, name, value)]),
      ),
    },
    words: placed,
  };
}

/** What the command's own flags are when they are left out, as help says. */
const defaultsOf = (spec: CommandSpec): Args["flags"] =>
  Object.fromEntries(
    (spec.flags ?? []).flatMap(({ names: [name = ""], default: usual }) =>
      usual === undefined ? [] : [[name, usual]],
    ),
  );

const twice = (word: string, field: string): UsageError =>
  new UsageError(`${word} and --${kebab(field)} are the same: give one of them`);

function ownValue(spec: CommandSpec, name: string, value: TypedFlag["value"]): TypedFlag["value"] {
  const choices = spec.flags?.find((flag) => flag.names[0] === name)?.choices;
  oneOf(choices, value, `--${name}`);
  return value;
}

/** Throws `UsageError` when something was typed that is none of the choices. */
function oneOf(
  choices: readonly string[] | undefined,
  typed: TypedFlag["value"] | undefined,
  place: string,
): void {
  const unknown = [typed].flat().find((one) => typeof one === "string" && choices?.includes(one) === false);
  if (choices && typeof unknown === "string") throw new UsageError(noChoice(place, choices, unknown));
}

/** Words by the positionals they belong to; a variadic one takes the rest. */
function placeWords(spec: CommandSpec, words: readonly string[]): Args["words"] {
  const positionals = spec.positionals ?? [];
  const takesAll = positionals.some(({ variadic }) => variadic);
  const extra = words[positionals.length];
  if (extra !== undefined && !takesAll) {
    throw new UsageError(
      `${JSON.stringify(extra)} is one word too many${positionals.length === 1 ? `; ${positionals[0]?.name} of several words needs quotes` : ""}`,
    );
  }
  return Object.fromEntries(
    positionals.flatMap((positional, at): [string, string | readonly string[]][] => {
      if (at >= words.length) return [];
      return [[positional.name, positional.variadic ? words.slice(at) : (words[at] ?? "")]];
    }),
  );
}

/** A field's value from its text. Throws `UsageError` when the text cannot be of the field's kind. */
export function fieldValue(
  field: Field,
  typed: string | readonly string[] | boolean,
  flag: string,
  scalar: ReadScalar = readScalar,
): unknown {
  if (typeof typed === "boolean") return typed;
  if (field.kind !== "list" && field.kind !== "map") return scalar(field.kind, String(typed), flag);
  const texts = [typed].flat().flatMap((text) => text.split(","));
  return field.kind === "list"
    ? texts.map((text) => scalar(field.item?.kind ?? "string", text.trim(), flag))
    : Object.fromEntries(texts.map((text) => pair(text, field, flag, scalar)));
}

function pair(text: string, field: Field, flag: string, scalar: ReadScalar): [string, unknown] {
  const at = text.lastIndexOf(":");
  if (at < 1)
    throw new UsageError(`${flag} must be NAME:WEIGHT such as Add_Detail:0.8, not ${JSON.stringify(text)}`);
  return [text.slice(0, at).trim(), scalar(field.item?.kind ?? "string", text.slice(at + 1), flag)];
}

type ReadScalar = (kind: Field["kind"], text: string, flag: string) => unknown;

const readScalar: ReadScalar = (kind, text, flag) => {
  if (kind === "number" || kind === "integer") return parseNumber(text, flag);
  return kind === "id" ? parseId(text) : text;
};

/** With `--no-validate` a text that cannot be of its kind is sent as it was typed: the service decides. */
const asTyped: ReadScalar = (kind, text, flag) => {
  try {
    return readScalar(kind, text, flag);
  } catch {
    return text;
  }
};
