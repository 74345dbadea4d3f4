import type { LiveValue, ValueKind } from "./values.ts";

declare const valueType: unique symbol;

/** A command's own flag, as plain data; `Value` is the type that `run` gets. */
export interface Flag<Value = unknown> extends FlagOptions {
  readonly kind: ValueKind;
  readonly text: string;
  /** The placeholder of the value in help; a flag without one is a switch. */
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
  /** Other long names, without dashes. */
  readonly aliases?: readonly string[];
  /** The placeholder of the value in help, where that of the kind says too little. */
  readonly value?: string;
  readonly completes?: LiveValue;
  /** Dotted fields of the operation that it sets, so that an error in the field names this flag. */
  readonly setsFields?: readonly string[];
  /** The value when the flag is given without one, as text. A word that follows is taken as the value. */
  readonly optionalValue?: string;
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

const make =
  <Value>(kind: ValueKind, value: string | undefined, more: Pick<Flag, "repeat"> = {}) =>
  (text: string, options: FlagOptions = {}): Flag<Value> => ({
    kind,
    text,
    ...(value !== undefined && { value }),
    ...more,
    ...options,
  });

/** One of a fixed set of words; never undefined with a default. */
function choice<const Choice extends string>(
  text: string,
  choices: readonly Choice[],
  options: FlagOptions & { readonly default: Choice },
): Flag<Choice>;
function choice<const Choice extends string>(
  text: string,
  choices: readonly Choice[],
  options?: FlagOptions,
): Flag<Choice | undefined>;
function choice(text: string, choices: readonly string[], options: FlagOptions = {}): Flag<string> {
  return { kind: "choice", text, value: "VALUE", choices, ...options };
}

const withDefault =
  <Value>(kind: ValueKind, value: string) =>
  (text: string, defaultValue: string, options: FlagOptions = {}): Flag<Value> => ({
    kind,
    text,
    value,
    default: defaultValue,
    ...options,
  });

/**
 * The flags that a command may declare. The key under which a flag is declared is its name: `waitTimeout` is
 * `--wait-timeout`. `run` gets the parsed value; a value that cannot be parsed is an error that names the flag.
 */
export const flag = {
  /** A switch: true when given. */
  boolean: make<boolean>("boolean", undefined),
  text: make<string | undefined>("text", "TEXT"),
  textOr: withDefault<string>("text", "TEXT"),
  /** Any number. */
  number: make<number | undefined>("number", "N"),
  numberOr: withDefault<number>("number", "N"),
  /** A whole number of at least `minimum`. */
  integer: (text: string, options: Bounded): Flag<number | undefined> => ({
    kind: "integer",
    text,
    value: "N",
    ...options,
  }),
  integerOr: (text: string, defaultValue: string, options: Bounded): Flag<number> => ({
    kind: "integer",
    text,
    value: "N",
    default: defaultValue,
    ...options,
  }),
  /** Milliseconds. */
  duration: make<number | undefined>("duration", "DURATION"),
  durationOr: withDefault<number>("duration", "DURATION"),
  /** An amount in dollars, as cents. */
  cents: make<number | undefined>("cents", "AMOUNT"),
  /** An amount in dollars, as hundredths of a cent, for prices below a cent. */
  price: make<number | undefined>("price", "AMOUNT"),
  /** An id: a number where JSON represents it exactly, else text. */
  id: make<number | string | undefined>("id", "ID"),
  /** Width and height in pixels. */
  size: make<Size | undefined>("size", "WxH"),
  sizeOr: withDefault<Size>("size", "WxH"),
  choice,
  /** May be given several times. */
  texts: make<readonly string[]>("text", "TEXT", { repeat: true }),
  /** `KEY=JSON`, may be given several times; the values are merged into one object. */
  params: make<Readonly<Record<string, unknown>>>("params", "KEY=JSON", { repeat: true }),
};

type Bounded = FlagOptions & { readonly minimum: number };

export interface Size {
  readonly width: number;
  readonly height: number;
}
