import type { LiveValue, ValueKind } from "./values.ts";

declare const argument: unique symbol;

/** A positional argument, as plain data; `run` gets `Value` under `Key` unless a field of the operation takes it. */
export interface Arg<Key extends string = string, Value = unknown> extends ArgOptions {
  /** As help shows it, such as `RENTAL`. */
  readonly name: string;
  readonly text: string;
  readonly kind: ValueKind;
  /** The field of the operation that it gives. */
  readonly field?: string;
  readonly variadic?: boolean;
  readonly choices?: readonly string[];
  readonly [argument]?: readonly [Key, Value];
}

export interface ArgOptions {
  readonly required?: boolean;
  /** A field that is made from it, so that a fault of the field names this argument. */
  readonly setsField?: string;
  /** How stdin is used when it is a pipe: `instead` of a missing argument, or `before` it. */
  readonly stdin?: "instead" | "before";
  /** The key of a flag that can be given instead. */
  readonly replacedByFlag?: string;
  /** Values that look like a choice but are not, and what to do instead. */
  readonly hints?: Readonly<Record<string, string>>;
  readonly completes?: LiveValue;
  /** Its choices are the keys of the configuration. */
  readonly choicesFrom?: "config-keys";
  /** The argument before it that names the configuration key whose value this is. */
  readonly valueOfKey?: string;
}

type Required = ArgOptions & { readonly required: true };

/** The values of arguments, by their names in lower case. */
export type ArgValues<Declared extends readonly Arg[]> = {
  readonly [One in Declared[number] as KeyOf<One>]: One extends Arg<string, infer Value> ? Value : never;
};

type KeyOf<One> = One extends Arg<infer Key> ? Key : never;

function text<const Name extends string>(
  name: Name,
  text: string,
  options: Required,
): Arg<Lowercase<Name>, string>;
function text<const Name extends string>(
  name: Name,
  text: string,
  options?: ArgOptions,
): Arg<Lowercase<Name>, string | undefined>;
function text(name: string, text: string, options: ArgOptions = {}): Arg<never, never> {
  return { name, text, kind: "text", ...options };
}

function choice<const Name extends string, const Choice extends string>(
  name: Name,
  text: string,
  choices: readonly Choice[],
  options: Required,
): Arg<Lowercase<Name>, Choice>;
function choice<const Name extends string, const Choice extends string>(
  name: Name,
  text: string,
  choices: readonly Choice[],
  options?: ArgOptions,
): Arg<Lowercase<Name>, Choice | undefined>;
function choice(
  name: string,
  text: string,
  choices: readonly string[],
  options: ArgOptions = {},
): Arg<never, never> {
  return { name, text, kind: "choice", choices, ...options };
}

/** The arguments that a command may declare, in the order in which they are typed. */
export const arg = {
  text,
  choice,
  number: <const Name extends string>(
    name: Name,
    text: string,
    options: ArgOptions = {},
  ): Arg<Lowercase<Name>, number | undefined> => ({ name, text, kind: "number", ...options }),
  /** All arguments that follow. */
  texts: <const Name extends string>(
    name: Name,
    text: string,
    options: ArgOptions = {},
  ): Arg<Lowercase<Name>, readonly string[]> => ({ name, text, kind: "text", variadic: true, ...options }),
  /** Gives a field of the command's operation; it reaches `run` as a part of the input only. */
  field: (
    name: string,
    text: string,
    field: string,
    options: ArgOptions & { readonly variadic?: boolean } = {},
  ): Arg<never, never> => ({ name, text, kind: "text", field, ...options }),
};

/** The id of a rental, which gives a field. */
export const rentalId = (field: string) =>
  arg.field("RENTAL", "Id of the rental", field, { required: true, completes: "rental" });

/** Ids of rentals, which give a field that is a list. */
export const rentalIds = (field: string, text: string) =>
  arg.field("RENTAL", text, field, { required: true, completes: "rental", variadic: true });

/** The id of a storage volume, which gives a field. */
export const volumeId = (field: string) =>
  arg.field("VOLUME", "Id of the volume", field, { required: true, completes: "volume" });
