import type { EffectOf, InputOf, OperationId } from "../contract/index.ts";
import type { Effect } from "../contract/operation.ts";
import type { Result } from "../core/result.ts";
import type { View } from "../core/view.ts";
import type { Arg, ArgValues } from "./arg.ts";
import type { Context, Ports } from "./context.ts";
import type { Flags, FlagValues } from "./flag.ts";
import type { Example } from "./tree.ts";

/** What was typed, parsed and checked. */
export interface Values {
  /** The fields of the operation, by their wire names. */
  readonly input: object;
  readonly flags: Readonly<Record<string, unknown>>;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The input of the operation, or what `buildInput` returns for a command without one. */
type InputFor<Id extends OperationId, Built extends object> = [Id] extends [never] ? Built : InputOf<Id>;

/** What `run` and `confirm` get: the values, the context, and the ports that the command uses. */
export type Run<
  Id extends OperationId,
  Declared extends Flags,
  Args extends readonly Arg[],
  Used extends keyof Ports,
  Built extends object,
> = Typed<Declared, Args, Used> & { readonly input: InputFor<Id, Built> };

type Typed<Declared extends Flags, Args extends readonly Arg[], Used extends keyof Ports> = Context &
  Pick<Ports, Used> & {
    readonly flags: FlagValues<Declared>;
    readonly args: ArgValues<Args>;
  };

/** A confirmation before the command runs; undefined when none is needed. */
type Question = string | undefined | Promise<string | undefined>;

/** Asks before spending money, on a terminal only; the question says on what. */
interface Spending<Given> {
  spending(given: Given): Question;
}

/** Asks before destroying something, and needs `--yes` without a terminal; the question says what. */
export interface Destruction<Given> {
  destruction(given: Given): Question;
}

interface Declaration<
  Id extends OperationId,
  More extends OperationId,
  Does extends Effect,
  Declared extends Flags,
  Args extends readonly Arg[],
  Used extends keyof Ports,
  Built extends object,
> {
  /** The words of the command, such as `rentals create vm`. */
  readonly path: string;
  readonly summary: string;
  /** More text for help and the manual. */
  readonly details?: string;
  /** Its fields become flags, and its input is what `run` gets. */
  readonly operation?: Id;
  /** Other operations that the command calls. */
  readonly alsoCalls?: readonly More[];
  /** The effect of a command without an operation. */
  readonly effect?: Does;
  readonly args?: Args;
  /** The command's own flags. */
  readonly flags?: Declared;
  /** Fields without a flag of their own: an argument or another flag sets them. */
  readonly withoutFlag?: readonly string[];
  /** Required fields with a default: `always`, or when this configuration key is set. */
  readonly defaulted?: Readonly<Record<string, string>>;
  /** Ports that it needs besides the context. */
  readonly uses?: readonly Used[];
  /** Runs without configuration, even when the file cannot be read. */
  readonly needsNoConfig?: boolean;
  readonly view: View;
  /** At least two, which work as written. */
  readonly examples: readonly Example[];
  /**
   * Builds the input when it is more than the typed fields; it is then checked against the contract. Declare it above
   * `confirm` and `run`: without an operation, their input has its return type.
   */
  buildInput?(
    typed: Typed<Declared, Args, Used> & { readonly input: Partial<InputFor<Id, object>> },
  ): Built | Promise<Built>;
  readonly confirm?:
    | Spending<Run<Id, Declared, Args, Used, Built>>
    | Destruction<Run<Id, Declared, Args, Used, Built>>;
  run(given: Run<Id, Declared, Args, Used, Built>): Result | Promise<Result>;
}

/** A command that spends or destroys does not compile without that confirmation. */
type Confirmed<Id extends OperationId, More extends OperationId, Does extends Effect> = "destroy" extends
  | Does
  | EffectOf<Id | More>
  ? { readonly confirm: { readonly destruction: unknown } }
  : "spend" extends Does | EffectOf<Id | More>
    ? { readonly confirm: { readonly spending: unknown } }
    : unknown;

/** A command of any type: `run` gets values that were parsed and checked by the same declaration. */
export interface Command
  extends Omit<
    Declaration<OperationId, OperationId, Effect, Flags, readonly Arg[], keyof Ports, object>,
    "buildInput" | "confirm" | "run"
  > {
  readonly confirm?: Spending<Context & Values> | Destruction<Context & Values>;
  buildInput?(typed: Context & Values): object | Promise<object>;
  run(given: Context & Values): Result | Promise<Result>;
}

/** Declares a command; the types of `run` are inferred from the declaration. */
export function defineCommand<
  const Id extends OperationId = never,
  const More extends OperationId = never,
  const Does extends Effect = never,
  const Declared extends Flags = Record<never, never>,
  const Args extends readonly Arg[] = readonly [],
  const Used extends keyof Ports = never,
  Built extends object = object,
>(command: Declaration<Id, More, Does, Declared, Args, Used, Built> & Confirmed<Id, More, Does>): Command {
  return command;
}

/** Operations that need no confirmation. */
type Unconfirmed = {
  [Id in OperationId]: EffectOf<Id> extends "spend" | "destroy" ? never : Id;
}[OperationId];

/** A command that sends its operation and prints the response. */
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
