import type { OperationId } from "../contract/index.ts";
import type { Arg } from "./arg.ts";
import type { LiveValue, ValueKind } from "./values.ts";

/**
 * The commands as plain data, generated from their declarations: what parsing, help, prompts, completions and manual
 * pages need, without loading a command.
 */
export interface Noun {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly CommandNode[];
}

export interface CommandNode {
  /** Words of the command, such as `["rentals", "create", "vm"]`. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly details?: string;
  /** Its fields are flags. */
  readonly operation?: OperationId;
  readonly args: readonly ArgNode[];
  /** First those of the operation's fields, then the command's own; the global ones are not among them. */
  readonly flags: readonly FlagNode[];
  /** Limits that span several flags, in words. */
  readonly limits: readonly string[];
  /** What has to be confirmed on a terminal; destruction needs `--yes` off one. */
  readonly confirm?: "spending" | "destruction";
  /** Required fields that have a value when none is given: `always`, or when this key of the configuration is set. */
  readonly defaulted?: Readonly<Record<string, string>>;
  readonly needsNoConfig?: boolean;
  readonly examples: readonly Example[];
}

export type ArgNode = Omit<Arg, "choicesFrom" | symbol>;

export interface FlagNode {
  /** Long names without dashes, the main one first. */
  readonly names: readonly [string, ...string[]];
  readonly short?: string;
  readonly kind: ValueKind | "list" | "map";
  /** What a list or a map holds. */
  readonly item?: ValueKind;
  /** What stands for the value in help; a flag without it is a switch. */
  readonly value?: string;
  /** What it stands for when it is given without a value. */
  readonly optionalValue?: string;
  readonly text: string;
  /** Choices, limits, default and configuration key, in words. */
  readonly notes: readonly string[];
  readonly repeat?: boolean;
  readonly choices?: readonly string[];
  /** Bounds of a whole number. */
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: string;
  readonly completes?: LiveValue;
  /** A switch that also has `--no-`. */
  readonly negatable?: boolean;
  /** The command cannot run without it. */
  readonly required?: boolean;
  /** The field of the operation that it is. */
  readonly field?: string;
  /** Dotted fields that a flag of the command's own gives. */
  readonly setsFields?: readonly string[];
  /** Under what the command's `run` gets the value of a flag of its own. */
  readonly key?: string;
  /** The key of the configuration that keeps a default for it. */
  readonly configKey?: string;
  /** Main names of flags that cannot be given beside it. */
  readonly conflictsWith?: readonly string[];
}

/** A flag that every command takes. */
export interface GlobalNode extends FlagNode {
  readonly group: GlobalGroup;
  /** The environment variable that stands in for it. */
  readonly env?: string;
}

/** The headings under which help shows the global flags. */
export type GlobalGroup = (typeof globalGroups)[number];
export const globalGroups = ["Output", "Questions", "Service", "Other"] as const;

export interface Example {
  readonly text: string;
  /** A whole command line that works as written on a new sandbox, or after `after`. */
  readonly command: string;
  /** Command lines that create what the example needs. */
  readonly after?: readonly string[];
}

/** The flags and the argument by which a field can be given, for messages, the main one first; `path` leads into the input. */
export function flagsThatSet(
  { args, flags }: Pick<CommandNode, "args" | "flags">,
  path: readonly (string | number)[],
): readonly [string, ...string[]] {
  const name = path.filter((step) => typeof step === "string").join(".");
  const first = String(path[0] ?? "");
  const sets = (given: string) =>
    given === name || name.startsWith(`${given}.`) || given.startsWith(`${name}.`);
  const words = args.filter(({ field, setsField }) => field === first || setsField === first);
  const named = flags.filter(({ field, setsFields }) => field === first || setsFields?.some(sets));
  const [main = `--${kebab(first)}`, ...others] = [
    ...words.map((word) => word.name),
    ...named.map(({ names: [flag] }) => `--${flag}`),
  ];
  return [main, ...others];
}

/** `gpuCount` and `cfg_scale` as `gpu-count` and `cfg-scale`. */
export const kebab = (name: string): string =>
  name
    .replace(/([A-Z])/g, "-$1")
    .replaceAll("_", "-")
    .toLowerCase();

/** Every spelling of a flag with its dashes, the short one first. */
export const spellings = ({ names, short, negatable }: FlagNode): readonly string[] => [
  ...(short ? [`-${short}`] : []),
  ...names.flatMap((name) => (negatable ? [`--${name}`, `--no-${name}`] : [`--${name}`])),
];

/** The value of a flag as it is shown, in brackets where it may be left out; nothing for a switch. */
export const shownValue = ({
  value,
  optionalValue,
}: Pick<FlagNode, "value" | "optionalValue">): string | undefined =>
  optionalValue === undefined ? value : `[${value}]`;

/** A flag's text with its notes. */
export const textWithNotes = ({ text, notes }: Pick<FlagNode, "text" | "notes">): string =>
  notes.length > 0 ? `${text} (${notes.join("; ")})` : text;

/** What is to be said of an argument: its text, with the choices where there are some. */
export const argText = ({ text, choices }: ArgNode): string =>
  textWithNotes({ text, notes: choices ? [`one of ${choices.join(", ")}`] : [] });

/** The arguments of a command as its usage shows them, optional ones in brackets; `draw` draws the name of one. */
export const usageWords = (
  { args }: Pick<CommandNode, "args">,
  draw: (name: string) => string = (name) => name,
): readonly string[] =>
  args.map(({ name, required, variadic, stdin, replacedByFlag }) => {
    const word = `${draw(name)}${variadic ? "..." : ""}`;
    return required && !stdin && !replacedByFlag ? word : `[${word}]`;
  });

/** What every command takes beside the global flags. */
export const everywhere: readonly FlagNode[] = [
  { names: ["version"], short: "V", kind: "boolean", text: "Print the version", notes: [] },
  { names: ["help"], short: "h", kind: "boolean", text: "Show help", notes: [] },
];
