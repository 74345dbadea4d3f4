import type { OperationId } from "../contract/index.ts";
import type { Arg } from "./arg.ts";
import type { Flag } from "./flag.ts";
import type { ValueKind } from "./values.ts";

/**
 * The commands of a noun as plain data, generated from their declarations. Parsing, help, prompts, completions and
 * manual pages use this data, so that they need not load a command.
 */
export interface Noun {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly CommandNode[];
  /**
   * The commands that a command line may mean: the command of the noun itself, and those whose first word after the
   * noun is on the line.
   */
  readonly commandsOn: (line: readonly string[]) => readonly CommandNode[];
  /** The commands whose words after the noun begin with these. */
  readonly commandsBelow: (words: readonly string[]) => readonly CommandNode[];
  /** All commands that take a flag, and perhaps others that do not. The flag is given as typed. */
  readonly commandsNaming: (flag: string) => readonly CommandNode[];
  /** The summaries of the groups below the noun, by the words of the groups. */
  readonly groups?: Readonly<Record<string, string>>;
}

/**
 * Creates a noun whose commands are given as JSON, by their words after the noun. Most runs need only one command, so
 * the JSON of a command is parsed only when it is needed.
 */
export function nounOf(
  noun: Pick<Noun, "name" | "summary" | "groups">,
  commands: Readonly<Record<string, string>>,
): Noun {
  const parsed = new Map<string, CommandNode>();
  const parse = ([words, text]: readonly [string, string]): CommandNode => {
    const node: CommandNode = parsed.get(words) ?? JSON.parse(text);
    parsed.set(words, node);
    return node;
  };
  const entries = Object.entries(commands);
  return {
    ...noun,
    get commands(): readonly CommandNode[] {
      return entries.map(parse);
    },
    commandsOn: (line) =>
      entries.filter(([words]) => words === "" || line.includes(words.split(" ", 1)[0] ?? "")).map(parse),
    commandsBelow: (path) => {
      const start = path.map((word) => `${word} `).join("");
      return entries.filter(([words]) => `${words} `.startsWith(start)).map(parse);
    },
    commandsNaming: (flag) => {
      const name = flag.replace(/^--?/, "");
      const quoted = [name, name.replace(/^no-/, "")].map((one) => JSON.stringify(one));
      return entries.filter(([, text]) => quoted.some((one) => text.includes(one))).map(parse);
    },
  };
}

export interface CommandNode {
  /** Words of the command, such as `["rentals", "create", "vm"]`. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly details?: string;
  /** The operation whose fields are flags. */
  readonly operation?: OperationId;
  readonly args: readonly ArgNode[];
  /** The fields of the operation, then the command's own flags. Does not contain the global flags. */
  readonly flags: readonly FlagNode[];
  /** Rules that involve several flags, in words. */
  readonly limits: readonly string[];
  /** What to confirm on a terminal. Without a terminal, destruction requires `--yes`. */
  readonly confirm?: "spending" | "destruction";
  /**
   * Required fields that may be left out because they have a default, by name. The value is `always` if there is always
   * a default. Otherwise, it is the configuration key that may hold one.
   */
  readonly defaulted?: Readonly<Record<string, string>>;
  readonly needsNoConfig?: boolean;
  readonly readsInDryRun?: boolean;
  /** Set if the user chooses missing values, on a terminal, from what the service offers. */
  readonly offers?: true;
  readonly examples: readonly Example[];
}

export type ArgNode = Omit<Arg, "choicesFrom" | symbol>;

export interface FlagNode extends Omit<Flag, "kind" | symbol> {
  /** Long names without dashes, the main one first. */
  readonly names: readonly [string, ...string[]];
  readonly kind: ValueKind | "list" | "map";
  /** The kind of the values in a list or a map. */
  readonly item?: ValueKind;
  /** Choices, limits, default and configuration key, in words. */
  readonly notes: readonly string[];
  /** Whether the flag is a switch with a `--no-` form. */
  readonly negatable?: boolean;
  readonly required?: boolean;
  /** The field of the operation that the flag sets. */
  readonly field?: string;
  /** The key under which `run` gets the value of the command's own flag. */
  readonly key?: string;
  /** The configuration key that holds the default of the flag. */
  readonly configKey?: string;
  /** Main names of flags that cannot be used together with this one. */
  readonly conflictsWith?: readonly string[];
}

/** A flag that every command takes. */
export interface GlobalNode extends FlagNode {
  readonly group: GlobalGroup;
}

/** The headings under which help shows the global flags. */
export type GlobalGroup = (typeof globalGroups)[number];
export const globalGroups = ["Output", "Prompts and checks", "Service"] as const;

export interface Example {
  readonly text: string;
  /** A whole command line that works as written in a new sandbox, once the lines of `after` have run. */
  readonly command: string;
  /** Command lines that create what the example needs. Help and the manual show them before the example. */
  readonly after?: readonly string[];
}

/** An example as help and the manual show it. */
export interface ShownExample {
  readonly text: string;
  readonly lines: readonly string[];
}

/**
 * Adds to each example the lines that must run before it. If all examples begin with the same lines, these lines become
 * a separate example, which is shown first. In a new sandbox, any example works on its own, after the separate example
 * if there is one. All examples also work in the order shown.
 */
export function shownExamples(examples: readonly Example[]): readonly ShownExample[] {
  const [{ after: first = [] } = {}, ...others] = examples;
  const differs = first.findIndex((line, at) => others.some(({ after }) => after?.[at] !== line));
  const common = others.length === 0 ? [] : first.slice(0, differs < 0 ? first.length : differs);
  return [
    ...(common.length > 0 ? [{ text: "Run this first, so that the examples work", lines: common }] : []),
    ...examples.map(({ text, command, after = [] }) => ({
      text,
      lines: [...after.slice(common.length), command],
    })),
  ];
}

/**
 * Returns the names, for messages, of the arguments and flags that set the input field at `path`; arguments first. May
 * be empty.
 */
export function flagsThatSet(
  { args, flags }: Pick<CommandNode, "args" | "flags">,
  path: readonly (string | number)[],
): readonly string[] {
  const name = path.filter((step) => typeof step === "string").join(".");
  const first = String(path[0] ?? "");
  const sets = (given: string) =>
    given === name || name.startsWith(`${given}.`) || given.startsWith(`${name}.`);
  const words = args.filter(({ field, derivedField }) => field === first || derivedField === first);
  const named = flags.filter(({ field, setsFields }) => field === first || setsFields?.some(sets));
  return [...words.map((word) => word.name), ...named.map(({ names: [flag] }) => `--${flag}`)];
}

/** `gpuCount` and `cfg_scale` as `gpu-count` and `cfg-scale`. */
export const kebab = (name: string): string =>
  name
    .replace(/([A-Z])/g, "-$1")
    .replaceAll("_", "-")
    .toLowerCase();

/** Every spelling of a flag, with dashes; the short one first. */
export const spellings = ({ names, short, negatable }: FlagNode): readonly string[] => [
  ...(short ? [`-${short}`] : []),
  ...names.flatMap((name) => (negatable ? [`--${name}`, `--no-${name}`] : [`--${name}`])),
];

/** A flag as lists show it, with one text for each meaning. A switch that can be turned off is listed as two flags. */
export interface ListedFlag extends FlagNode {
  /** Spellings that cannot be used together with this flag. Undefined if the flag excludes only its own spellings. */
  readonly excludes?: readonly string[];
}

export function listedFlags({ negatable, ...flag }: FlagNode): readonly ListedFlag[] {
  if (!negatable) return [flag];
  const { short: _, default: _default, ...off } = flag;
  const [first, ...others] = flag.names;
  const excludes = spellings({ ...flag, negatable });
  const text = `Do not ${flag.text.charAt(0).toLowerCase()}${flag.text.slice(1)}`;
  const names = [`no-${first}`, ...others.map((name) => `no-${name}`)] as const;
  return [
    { ...flag, excludes },
    { ...off, names, text, notes: [], excludes },
  ];
}

/** The placeholder of a flag's value, in brackets when optional; undefined for a switch. */
export const shownValue = ({
  value,
  optionalValue,
}: Pick<FlagNode, "value" | "optionalValue">): string | undefined =>
  optionalValue === undefined ? value : `[${value}]`;

/** A flag's text with its notes. */
export const textWithNotes = ({ text, notes }: Pick<FlagNode, "text" | "notes">): string =>
  notes.length > 0 ? `${text} (${notes.join("; ")})` : text;

/** An argument's text with its choices. */
export const argText = ({ text, choices }: ArgNode): string =>
  textWithNotes({ text, notes: choices ? [`one of ${choices.join(", ")}`] : [] });

/** The arguments of a command for its usage line, optional ones in brackets; `format` formats a name. */
export const usageWords = (
  { args }: Pick<CommandNode, "args">,
  format: (name: string) => string = (name) => name,
): readonly string[] =>
  args.map(({ name, required, variadic, stdin, replacedByFlag }) => {
    const word = `${format(name)}${variadic ? "..." : ""}`;
    return required && !stdin && !replacedByFlag ? word : `[${word}]`;
  });

/** `--version` and `--help`, which every command takes besides the global flags. */
export const standardFlags: readonly FlagNode[] = [
  { names: ["version"], short: "V", kind: "boolean", text: "Print the version", notes: [] },
  { names: ["help"], short: "h", kind: "boolean", text: "Show help", notes: [] },
];
