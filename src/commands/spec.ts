import type { Context, Defaults } from "../context/context.ts";
import type { OperationId } from "../contract/index.ts";
import type { Answer } from "../output/answer.ts";
import type { View } from "../output/view.ts";

/** A command as plain data: help, completion and manual pages need no more. */
export interface CommandSpec {
  /** Words of the command, such as `["rentals", "create", "vm"]`. */
  readonly path: readonly string[];
  readonly summary: string;
  /** More than the summary says, for help and manual. */
  readonly details?: string;
  /** The operations it calls; the fields of the first one become flags. */
  readonly operations: readonly OperationId[];
  readonly positionals?: readonly Positional[];
  readonly flags?: readonly Flag[];
  /** Fields that are given by a positional or by other flags only. */
  readonly withoutFlag?: readonly string[];
  /** Fields that the command finds a value for when none is given: always, or when the user keeps such a default. */
  readonly found?: Readonly<Record<string, "always" | keyof Defaults>>;
  /** What has to be confirmed on a terminal. Destruction needs `--yes` off one. */
  readonly confirms?: "spending" | "destruction";
  /** It needs no configuration, and runs where that cannot be read. */
  readonly needsNoConfig?: boolean;
  readonly view: View;
  /** At least two, working as written. */
  readonly examples: readonly Example[];
  /** `never`: the core hands over an input only after it was checked against the contract. */
  readonly load: () => Promise<{ readonly verb: Verb<never> }>;
}

export interface Example {
  readonly text: string;
  /** A whole command line; `{rental}`-like blanks do not exist: it works on a fresh sandbox, or after `after`. */
  readonly command: string;
  /** Command lines that make what the example needs. */
  readonly after?: readonly string[];
}

export interface Positional {
  /** As shown in help, such as `RENTAL`. */
  readonly name: string;
  readonly text: string;
  /** The field it gives. */
  readonly field?: string;
  /** A field that is made from it, so that a fault of the field is told of this word. */
  readonly gives?: string;
  /** What a pipe on stdin does: it is taken when the word is missing, or goes before the word. */
  readonly stdin?: "instead" | "before";
  /** A flag that takes its place. */
  readonly unless?: string;
  readonly required?: boolean;
  readonly variadic?: boolean;
  readonly choices?: readonly string[];
  /** Words that are no choice though one might think so, and what to do in their place. */
  readonly refused?: Readonly<Record<string, string>>;
  readonly completes?: LiveValue;
  /** The positional before it, which names the key of the configuration whose value this is, and so its rule. */
  readonly keptUnder?: string;
}

/** What a completion looks up while a command line is typed. */
export type LiveValue = (typeof liveValues)[number];
export const liveValues = ["rental", "volume", "profile"] as const;

/** A flag that is no field by itself. */
export interface Flag {
  /** Long names without dashes, the main one first. */
  readonly names: readonly string[];
  readonly short?: string;
  /** What stands for the value in help; a flag without it is a switch. */
  readonly value?: string;
  /** The duration that it stands for without a value: the next word is its value only when it looks like one. */
  readonly bare?: string;
  readonly text: string;
  readonly repeat?: boolean;
  readonly choices?: readonly string[];
  /** What it is when it is left out; help shows it. */
  readonly default?: string;
  readonly completes?: LiveValue;
  /** Dotted fields that it gives, so that a fault of the field is told of this flag. */
  readonly gives?: readonly string[];
}

/** What the command line came to. */
export interface Args {
  /** Fields of the first operation, by their wire names, as typed by flags and positionals. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Values of the command's own flags by main name: text, a list when repeatable, true for a switch. */
  readonly flags: Readonly<Record<string, string | readonly string[] | boolean | undefined>>;
  /** Words that belong to no field, by the name of the positional. */
  readonly words: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** A verb's module, loaded when its command runs. `Input` is the input of the command's first operation. */
export interface Verb<Input> {
  /** The input, when it is more than the fields that were typed. */
  readonly input?: (args: Args, context: Context) => Promise<object> | object;
  /** The question to confirm: what it will cost or destroy; nothing when there is nothing to ask. */
  readonly question?: (
    input: Input,
    args: Args,
    context: Context,
  ) => string | undefined | Promise<string | undefined>;
  readonly run: (input: Input, context: Context, args: Args) => Promise<Answer>;
}
