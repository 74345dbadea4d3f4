import type { Money } from "../core/values/money.ts";
import type { LiveValue, ValueKind } from "./values.ts";

declare const valueType: unique symbol;

/** A command's own flag, as plain data; `Value` is the type that `run` gets. */
export interface Flag<Value = unknown> extends FlagOptions {
  readonly kind: ValueKind;
  readonly text: string;
  /** The placeholder of the value in help. A flag without a placeholder is a switch. */
  readonly value?: string;
  /** May be given several times; the values are combined. */
  readonly repeat?: boolean;
  readonly choices?: readonly string[];
  /** The value when the flag is not given, as text. */
  readonly default?: string;
  readonly [valueType]?: Value;
}

export interface FlagOptions {
  /** One letter, without the dash. */
  readonly short?: string;
  /** The placeholder of the value in help, instead of the placeholder for the kind. */
  readonly value?: string;
  readonly completes?: LiveValue;
  /** The value that means stdin. If it is given, no argument is read from stdin. */
  readonly readsStdin?: "-" | "@-";
  /** Dotted paths of the operation's fields that the flag sets. An error in such a field names this flag. */
  readonly setsFields?: readonly string[];
  /** What applies when the flag is not given, in words for help. */
  readonly defaultText?: string;
  /**
   * The value, as text, that applies if the flag is given without a value. A word that follows the flag is taken as its
   * value.
   */
  readonly optionalValue?: string;
  /** Ignores the configuration key for flags of this name, because this flag has another meaning. */
  readonly ignoresConfig?: boolean;
  /** The value is a command line that prints an API key. If it contains keys, gpuctl masks them in its output. */
  readonly isKeyCommand?: boolean;
  /** The environment variable that sets the flag's value when the flag is not given. */
  readonly env?: string;
  /** Bounds of a whole number. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** Keys of flags that cannot be used together with this one. */
  readonly conflictsWith?: readonly string[];
}

export type Flags = Readonly<Record<string, Flag>>;

/** The values of flags, by key. */
export type FlagValues<Declared extends Flags> = {
  readonly [Name in keyof Declared]: Declared[Name] extends Flag<infer Value> ? Value : never;
};

type MaybeDefault<Default> = FlagOptions & { readonly default?: Default };
type Missing<Default> = [Default] extends [never] ? undefined : never;

const single =
  <Value>(kind: ValueKind, value: string) =>
  <Default extends string = never>(
    text: string,
    options: MaybeDefault<Default> = {},
  ): Flag<Value | Missing<Default>> => ({ kind, text, value, ...options });

const repeated =
  <Value>(kind: ValueKind, value: string) =>
  (text: string, options: FlagOptions = {}): Flag<Value> => ({ kind, text, value, repeat: true, ...options });

/**
 * The flags that a command may declare. The key under which a flag is declared is its name: `waitTimeout` is
 * `--wait-timeout`. `run` gets the parsed value. Without the flag, it gets the `default`. If there is none, it gets
 * false for a switch, an empty list or object for a flag that may be given several times, and otherwise undefined. A
 * value that cannot be parsed is an error that names the flag.
 */
export const flag = {
  /** A switch: true when given. */
  boolean: (text: string, options: FlagOptions = {}): Flag<boolean> => ({
    kind: "boolean",
    text,
    ...options,
  }),
  text: single<string>("text", "TEXT"),
  /** Any number. */
  number: single<number>("number", "N"),
  /** A whole number of at least `minimum`. */
  integer: <Default extends string = never>(
    text: string,
    options: MaybeDefault<Default> & { readonly minimum: number },
  ): Flag<number | Missing<Default>> => ({ kind: "integer", text, value: "N", ...options }),
  /** Milliseconds. */
  duration: single<number>("duration", "DURATION"),
  /** An age or the length of a lease, in milliseconds. Unlike a `duration`, it has no maximum. */
  age: single<number>("age", "DURATION"),
  /** An amount in dollars, as whole cents. */
  cents: single<number>("cents", "AMOUNT"),
  /** An exact amount in dollars. */
  dollars: single<Money>("dollars", "AMOUNT"),
  /** An id: a number if it is a positive whole number that JavaScript represents exactly, otherwise text. */
  id: single<number | string>("id", "ID"),
  /** Width and height in pixels. */
  size: single<Size>("size", "WxH"),
  /** One of a fixed set of words. */
  choice: <const Choice extends string, Default extends Choice = never>(
    text: string,
    choices: readonly Choice[],
    options: MaybeDefault<Default> = {},
  ): Flag<Choice | Missing<Default>> => ({ kind: "choice", text, value: "VALUE", choices, ...options }),
  /** Some of a fixed set of words; may be given several times. */
  choices: <const Choice extends string>(
    text: string,
    choices: readonly Choice[],
    options: FlagOptions = {},
  ): Flag<readonly Choice[]> => ({ kind: "choice", text, value: "VALUE", repeat: true, choices, ...options }),
  /** A text that may be given several times. */
  texts: repeated<readonly string[]>("text", "TEXT"),
  /** `KEY=JSON`, may be given several times; the values are merged into one object. */
  params: repeated<Readonly<Record<string, unknown>>>("params", "KEY=JSON"),
};

export interface Size {
  readonly width: number;
  readonly height: number;
}
