import type { LiveValue, ValueKind } from "./values.ts";

declare const valueType: unique symbol;

/** A flag of a command's own, as plain data; `Value` is what `run` gets for it. */
export interface Flag<Value = unknown> extends FlagOptions {
  readonly kind: ValueKind;
  readonly text: string;
  /** What stands for the value in help; a flag without it is a switch. */
  readonly value?: string;
  /** May be given several times; the values are gathered in a list. */
  readonly repeat?: boolean;
  readonly choices?: readonly string[];
  /** The text that it stands for when it is left out. */
  readonly default?: string;
  readonly [valueType]?: Value;
}

export interface FlagOptions {
  /** One letter, without the dash. */
  readonly short?: string;
  /** Other long names, without dashes. */
  readonly aliases?: readonly string[];
  /** What stands for the value in help, where the kind's own word would say too little. */
  readonly value?: string;
  readonly completes?: LiveValue;
  /** Dotted fields of the operation that it gives, so that a fault of the field names this flag. */
  readonly setsFields?: readonly string[];
  /** The text that it stands for when it is given without a value; the next word is taken as its value if there is one. */
  readonly optionalValue?: string;
  /** Bounds of a whole number. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** Flags of the command, by their keys, that cannot be given beside this one. */
  readonly conflictsWith?: readonly string[];
}

export type Flags = Readonly<Record<string, Flag>>;

/** The values of flags, by the names under which a command declares them. */
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

/** A choice of fixed words; with a default it is never undefined. */
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
  (text: string, usual: string, options: FlagOptions = {}): Flag<Value> => ({
    kind,
    text,
    value,
    default: usual,
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
  integerOr: (text: string, usual: string, options: Bounded): Flag<number> => ({
    kind: "integer",
    text,
    value: "N",
    default: usual,
    ...options,
  }),
  /** Milliseconds. */
  duration: make<number | undefined>("duration", "DURATION"),
  durationOr: withDefault<number>("duration", "DURATION"),
  /** Cents of an amount in dollars. */
  cents: make<number | undefined>("cents", "AMOUNT"),
  /** Hundredths of a cent of an amount in dollars, for prices below a cent. */
  price: make<number | undefined>("price", "AMOUNT"),
  /** An Id: a number where JSON carries it exactly, else text. */
  id: make<number | string | undefined>("id", "ID"),
  /** Width and height in pixels. */
  size: make<Size | undefined>("size", "WxH"),
  sizeOr: withDefault<Size>("size", "WxH"),
  choice,
  /** May be given several times. */
  texts: make<readonly string[]>("text", "TEXT", { repeat: true }),
  /** `KEY=JSON`, given several times: one object of all. */
  params: make<Readonly<Record<string, unknown>>>("params", "KEY=JSON", { repeat: true }),
};

type Bounded = FlagOptions & { readonly minimum: number };

export interface Size {
  readonly width: number;
  readonly height: number;
}
