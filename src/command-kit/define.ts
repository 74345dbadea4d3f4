import type { EffectOf, InputOf, OperationId } from "../contract/index.ts";
import type { Effect } from "../contract/operation.ts";
import type { Result } from "../core/result.ts";
import type { View } from "../core/view.ts";
import type { Arg, ArgValues } from "./arg.ts";
import type { Context, Ports } from "./context.ts";
import type { Flags, FlagValues } from "./flag.ts";
import type { Example } from "./tree.ts";

/** The values of a command line, parsed and checked. */
export interface Values {
  /** The fields of the operation, by their names in the API. */
  readonly input: object;
  readonly flags: Readonly<Record<string, unknown>>;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The input of the operation. For a command without an operation, what `buildInput` returns. */
type InputFor<Id extends OperationId, Built extends object> = [Id] extends [never] ? Built : InputOf<Id>;

/** The input of `run` and `confirm`: the values, the context, and the ports that the command uses. */
export type RunInput<
  Id extends OperationId,
  OwnFlags extends Flags,
  Args extends readonly Arg[],
  UsedPorts extends keyof Ports,
  Built extends object,
> = ParsedValues<OwnFlags, Args, UsedPorts> & { readonly input: InputFor<Id, Built> };

type ParsedValues<
  OwnFlags extends Flags,
  Args extends readonly Arg[],
  UsedPorts extends keyof Ports,
> = Context &
  Pick<Ports, UsedPorts> & {
    readonly flags: FlagValues<OwnFlags>;
    readonly args: ArgValues<Args>;
  };

/** A combination of values that the service offers: one choice of a prompt. */
export interface Offer {
  readonly label: string;
  /** Values of fields. */
  readonly input: Readonly<Record<string, string | number>>;
}

/** A suggested answer for a missing value. */
export interface Estimate {
  readonly answer: string;
  /** What the estimate is based on, as words that follow "an estimate from". */
  readonly basis: string;
}

/** The question to confirm; undefined to skip it. */
type Question = string | undefined | Promise<string | undefined>;

/** Asks before spending money, but only on a terminal. The question says what the money is for. */
interface Spending<Input> {
  spending(input: Input): Question;
}

/** Asks before destroying something; without a terminal, requires `--yes`. The question says what is destroyed. */
export interface Destruction<Input> {
  destruction(input: Input): Question;
  /** The word that has to be typed to confirm, instead of yes. Undefined if yes is enough. */
  typed?(input: Input): string | undefined;
  /** Asked if `destruction` returns undefined: see `Spending`. */
  spending?(input: Input): Question;
}

type WithinLimits = <Value>(
  given: Context & { readonly input: object },
  send: () => Promise<Value>,
) => Promise<Value>;

interface Declaration<
  Id extends OperationId,
  OtherIds extends OperationId,
  OwnEffect extends Effect,
  OwnFlags extends Flags,
  Args extends readonly Arg[],
  UsedPorts extends keyof Ports,
  Built extends object,
> {
  /** The words of the command, such as `rentals create vm`. */
  readonly path: string;
  readonly summary: string;
  /** More text for help and the manual. */
  readonly details?: string;
  /** The operation whose fields become flags. `run` gets its input. */
  readonly operation?: Id;
  /** Other operations that the command calls. */
  readonly alsoCalls?: readonly OtherIds[];
  /** The effect of a command without an operation. */
  readonly effect?: OwnEffect;
  readonly args?: Args;
  /** The command's own flags. */
  readonly flags?: OwnFlags;
  /** Fields without a flag of their own: an argument or another flag sets them. */
  readonly fieldsWithoutFlag?: readonly string[];
  /**
   * Required fields that may be left out because they have a default, by name. The value is `always` if there is always
   * a default. Otherwise, it is the configuration key that may hold one.
   */
  readonly defaulted?: Readonly<Record<string, string>>;
  /** Ports that the command needs besides the context. */
  readonly uses?: readonly UsedPorts[];
  /** The command needs no configuration, and runs even if the configuration file cannot be read. */
  readonly needsNoConfig?: boolean;
  /** A dry run sends the requests that change nothing, and the command reports what it would do. */
  readonly readsInDryRun?: boolean;
  /**
   * The result contains the key in use. Other commands mask that key, unless it is shorter than `minSecretLength` or is
   * one of the sandbox's own keys.
   */
  readonly printsKey?: boolean;
  readonly view: View;
  /** At least two. Tests run each one as written. */
  readonly examples: readonly Example[];
  /**
   * Builds the input if the parsed fields are not the whole input. If the command has an operation, the result is
   * checked against the contract. Declare `buildInput` above `confirm` and `run`: if the command has no operation, they
   * get what `buildInput` returns, and TypeScript infers types from top to bottom.
   */
  buildInput?(
    parsed: ParsedValues<OwnFlags, Args, UsedPorts> & { readonly input: Partial<InputFor<Id, object>> },
  ): Built | Promise<Built>;
  /**
   * Throws for flags that cannot work. Called only if values are missing, before the user is asked for them.
   */
  check?(
    parsed: ParsedValues<OwnFlags, Args, UsedPorts> & { readonly input: Partial<InputFor<Id, object>> },
  ): Promise<void>;
  /** What the service offers, to choose from on a terminal when required fields or arguments are missing. May throw. */
  offers?(
    parsed: ParsedValues<OwnFlags, Args, UsedPorts> & { readonly input: object },
  ): Promise<readonly Offer[]>;
  /** Returns a suggested answer to the prompt for a missing flag with this key. May throw. */
  estimate?(
    key: string,
    parsed: ParsedValues<OwnFlags, Args, UsedPorts> & { readonly input: Partial<InputFor<Id, object>> },
  ): Promise<Estimate | undefined>;
  /** Optional fields to ask for after `offers`, if there are values to choose from. */
  readonly alsoAsks?: readonly string[];
  /**
   * If the limits of the profile allow the command's operation with this input, calls `send`, which sends the
   * operation. Called when another command, such as `api call`, sends the operation. The input has not been checked, so
   * it may be invalid.
   */
  withinLimits?: WithinLimits;
  readonly confirm?:
    | Spending<RunInput<Id, OwnFlags, Args, UsedPorts, Built>>
    | Destruction<RunInput<Id, OwnFlags, Args, UsedPorts, Built>>;
  run(input: RunInput<Id, OwnFlags, Args, UsedPorts, Built>): Result | Promise<Result>;
}

/** Makes `confirm` mandatory: a command that spends or destroys does not compile without it. */
type RequiresConfirmation<
  Id extends OperationId,
  OtherIds extends OperationId,
  OwnEffect extends Effect,
> = "destroy" extends OwnEffect | EffectOf<Id | OtherIds>
  ? { readonly confirm: { readonly destruction: unknown } }
  : "spend" extends OwnEffect | EffectOf<Id | OtherIds>
    ? { readonly confirm: { readonly spending: unknown } }
    : unknown;

/**
 * A command without its type parameters. `run` gets values that were parsed and checked according to the same
 * declaration.
 */
export interface Command
  extends Omit<
    Declaration<OperationId, OperationId, Effect, Flags, readonly Arg[], keyof Ports, object>,
    "buildInput" | "check" | "offers" | "estimate" | "confirm" | "run"
  > {
  readonly confirm?: Spending<Context & Values> | Destruction<Context & Values>;
  buildInput?(parsed: Context & Values): object | Promise<object>;
  check?(parsed: Context & Values): Promise<void>;
  offers?(parsed: Context & Values): Promise<readonly Offer[]>;
  estimate?(key: string, parsed: Context & Values): Promise<Estimate | undefined>;
  run(input: Context & Values): Result | Promise<Result>;
}

/** Declares a command; the types of `run` are inferred from the declaration. */
export function defineCommand<
  const Id extends OperationId = never,
  const OtherIds extends OperationId = never,
  const OwnEffect extends Effect = never,
  const OwnFlags extends Flags = Record<never, never>,
  const Args extends readonly Arg[] = readonly [],
  const UsedPorts extends keyof Ports = never,
  Built extends object = object,
>(
  command: Declaration<Id, OtherIds, OwnEffect, OwnFlags, Args, UsedPorts, Built> &
    RequiresConfirmation<Id, OtherIds, OwnEffect>,
): Command {
  return command;
}

/** Operations that need no confirmation. */
type Unconfirmed = {
  [Id in OperationId]: EffectOf<Id> extends "spend" | "destroy" ? never : Id;
}[OperationId];

/** Declares a command that sends its operation and prints the response. */
export const callCommand = <const Id extends Unconfirmed>(
  declaration: Omit<Command, "operation" | "alsoCalls" | "effect" | "buildInput" | "confirm" | "run"> & {
    readonly operation: Id;
  },
): Command => ({
  ...declaration,
  run: async ({ input, call }: Context & Values & { readonly input: InputOf<Id> }) => ({
    data: await call(declaration.operation, input),
  }),
});
