import type { LiveValue, ValueKind } from "./values.ts";

declare const argument: unique symbol;

/** A positional argument, as plain data. `run` gets its value as `args[Key]`, or in `input` when it sets a field. */
export interface Arg<Key extends string = string, Value = unknown> extends ArgOptions {
  /** The name shown in help, such as `RENTAL`. */
  readonly name: string;
  readonly text: string;
  readonly kind: ValueKind;
  /** The field of the operation that the argument sets. */
  readonly field?: string;
  readonly variadic?: boolean;
  readonly choices?: readonly string[];
  readonly [argument]?: readonly [Key, Value];
}

export interface ArgOptions {
  /**
   * `off-terminal`: required, except in the interactive mode of the command, in which the command itself asks for the
   * value. A command uses this mode if gpuctl can prompt, the output is a table on a terminal, and this is not a dry
   * run.
   */
  readonly required?: boolean | "off-terminal";
  /** A field that the command derives from the argument. An error in that field names the argument. */
  readonly derivedField?: string;
  /** How piped stdin is used: `instead` of a missing argument, or as text `before` the argument's text. */
  readonly stdin?: "instead" | "before";
  /** The keys of the flags that can be given instead of the argument. */
  readonly replacedByFlag?: string | readonly string[];
  /** The key of the flag that supplies a value if neither the command line nor stdin does. */
  readonly fallbackFlag?: string;
  /** Advice for values that users may mistake for a choice, by value. */
  readonly mistakes?: Readonly<Record<string, string>>;
  readonly completes?: LiveValue;
  /**
   * The prompt offers only records with `text` in the column `column`. If there are none, gpuctl prints `otherwise`.
   */
  readonly offersOnly?: { readonly column: string; readonly text: string; readonly otherwise: string };
  /** Whether the argument is a command. At a prompt, an answer of several words is a command line for `sh`. */
  readonly isCommandLine?: boolean;
  /** The choices are the configuration keys. */
  readonly choicesFrom?: "config-keys";
  /** The earlier argument that holds the configuration key; this argument is the value for that key. */
  readonly valueOfKey?: string;
}

/** The key of `--no-stdin`. Every command with an argument that may come from piped stdin has this flag. */
export const noStdin = "noStdin";

/** The values of arguments, by their names in lower case. */
export type ArgValues<Declared extends readonly Arg[]> = {
  readonly [Item in Declared[number] as KeyOf<Item>]: Item extends Arg<string, infer Value> ? Value : never;
};

type KeyOf<Item> = Item extends Arg<infer Key> ? Key : never;

type MaybeRequired<Required> = ArgOptions & { readonly required?: Required };
type Missing<Required> = Required extends true ? never : undefined;

function make<Value>(kind: ValueKind) {
  return <const Name extends string, Required extends ArgOptions["required"] = false>(
    name: Name,
    text: string,
    options: MaybeRequired<Required> = {},
  ): Arg<Lowercase<Name>, Value | Missing<Required>> => ({ name, text, kind, ...options });
}

/** The kinds of arguments that a command may declare. */
export const arg = {
  text: make<string>("text"),
  number: make<number>("number"),
  /** A duration of any length, in milliseconds. */
  age: make<number>("age"),
  choice: <const Name extends string, const Choice extends string, Required extends boolean = false>(
    name: Name,
    text: string,
    choices: readonly Choice[],
    options: MaybeRequired<Required> = {},
  ): Arg<Lowercase<Name>, Choice | Missing<Required>> => ({
    name,
    text,
    kind: "choice",
    choices,
    ...options,
  }),
  /** All remaining arguments. */
  texts: <const Name extends string>(
    name: Name,
    text: string,
    options: ArgOptions = {},
  ): Arg<Lowercase<Name>, readonly string[]> => ({ name, text, kind: "text", variadic: true, ...options }),
  /** Sets a field of the command's operation; `run` gets the value only as part of the input. */
  field: (
    name: string,
    text: string,
    field: string,
    options: ArgOptions & { readonly variadic?: boolean } = {},
  ): Arg<never, never> => ({ name, text, kind: "text", field, ...options }),
};

/** The id of a rental, or the label of an active rental. Sets the field `rentalId`. */
export const rentalId = arg.field("RENTAL", "ID of a rental, or label of an active one", "rentalId", {
  required: true,
  completes: "rental",
});
