import type { Arg } from "../../command-kit/arg.ts";
import type { Context, SandboxControl } from "../../command-kit/context.ts";
import type { Command, RunInput } from "../../command-kit/define.ts";
import type { Flags } from "../../command-kit/flag.ts";
import { nothingDone } from "../../command-kit/results.ts";
import { NotFound, UsageError } from "../../core/errors.ts";
import { isRecord } from "../../core/json.ts";
import type { Result } from "../../core/result.ts";
import { invalidValues } from "../../core/text.ts";
import type { Column } from "../../core/view.ts";

type ControlInput<OwnFlags extends Flags, Args extends readonly Arg[], Built extends object> = RunInput<
  never,
  OwnFlags,
  Args,
  "sandbox" | "setSandboxAside",
  Built
>;

type Path = readonly (string | number)[];

/** Makes a confirmation mandatory for commands that delete sandbox state. */
type RequiresConfirmation =
  | { readonly effect?: never; readonly question?: never }
  | {
      readonly effect: "destroy";
      /** The question to confirm. `sandbox` names the sandbox, such as `the sandbox at URL`. */
      readonly question: (sandbox: string) => string;
    };

type Declaration<
  OwnFlags extends Flags,
  Args extends readonly Arg[],
  Built extends object,
> = RequiresConfirmation &
  Pick<Command, "path" | "summary" | "details" | "view" | "examples"> & {
    readonly flags?: OwnFlags;
    readonly args?: Args;
    /** Parses the input before any prompt or change. */
    buildInput?(parsed: ControlInput<OwnFlags, Args, object>): Built | Promise<Built>;
    /** Acts on the sandbox. The returned value is printed. */
    act(control: SandboxControl, input: ControlInput<OwnFlags, Args, Built>): unknown;
    /** Turns the value that `act` returns into what is printed. Default: prints the value itself. */
    resultOf?(value: unknown, input: ControlInput<OwnFlags, Args, Built>): Result;
    /** Returns what a dry run prints instead. A command without this function only reads, so a dry run calls `act`. */
    dryRun?(control: SandboxControl, input: ControlInput<OwnFlags, Args, Built>): unknown;
    /**
     * Replaces a state that cannot be used. After that, `act` runs again. Without this function, the error is reported.
     */
    replaceState?(input: ControlInput<OwnFlags, Args, Built>): Promise<void>;
    /** Returns the flag, argument or file that a rejected value came from. */
    nameOf?(path: Path, input: ControlInput<OwnFlags, Args, Built>): string;
  };

/** A command that opens the sandbox's controls, does one thing and prints the result. */
export const controlCommand = <
  const OwnFlags extends Flags = Record<never, never>,
  const Args extends readonly Arg[] = readonly [],
  Built extends object = object,
>({
  act,
  dryRun,
  nameOf,
  question,
  replaceState,
  resultOf = (data) => ({ data }),
  ...declaration
}: Declaration<OwnFlags, Args, Built>): Command => ({
  ...declaration,
  ...(question && {
    confirm: {
      destruction: ({ settings: { servedSandbox: url } }: Context) =>
        question(url === undefined ? "the sandbox" : `the sandbox at ${url}`),
    },
  }),
  uses: ["sandbox", "setSandboxAside"],
  run: async (input: ControlInput<OwnFlags, Args, Built>) => {
    const attempt = async () => {
      const control = await input.sandbox();
      if (dryRun && input.settings.dryRun) {
        const data = await dryRun(control, input);
        input.say(nothingDone);
        return { data };
      }
      return resultOf(await act(control, input), input);
    };
    try {
      return await attempt();
    } catch (error) {
      if (replaceState && !input.settings.dryRun && isUnusableState(error)) {
        await replaceState(input);
        return attempt();
      }
      throw nameOf ? refusal(error, (path) => nameOf(path, input), dryRun && unchanged) : error;
    }
  },
});

/**
 * The declarations that are common to the commands that change the clock. These commands print the new state of the
 * clock.
 */
export const clockCommand = {
  view: { kind: "record", id: ["now"] },
  dryRun: ({ clock }: SandboxControl) => clock.show(),
  nameOf: () => "the clock",
} as const;

export const faultColumns: readonly Column[] = [
  { title: "ID", paths: ["id"] },
  { title: "OPERATION", paths: ["operation"] },
  { title: "EFFECT", paths: ["effect"] },
  { title: "AFTER", paths: ["after"], format: "number" },
  { title: "TIMES", paths: ["times"], format: "number" },
  { title: "LEFT", paths: ["left"], format: "number" },
];

export const engineColumns: readonly Column[] = [
  { title: "KIND", paths: ["kind"] },
  { title: "URL", paths: ["url"] },
  { title: "MODEL", paths: ["model"] },
  { title: "VOICE", paths: ["voice"] },
  { title: "KEY FROM", paths: ["apiKeyEnv"] },
  { title: "IGNORED FIELDS", paths: ["ignoredFields"], format: "list" },
];

export const bootColumns: readonly Column[] = [
  { title: "ID", paths: ["id"] },
  { title: "OUTCOME", paths: ["outcome"] },
  { title: "AFTER (S)", paths: ["afterSeconds"], format: "number" },
  { title: "LABEL", paths: ["label"] },
  { title: "TIMES", paths: ["times"], format: "number" },
  { title: "LEFT", paths: ["left"], format: "number" },
];

export const situationColumns: readonly Column[] = [
  { title: "ID", paths: ["id"] },
  { title: "KIND", paths: ["kind"] },
  { title: "EFFECT", paths: ["effect"] },
  { title: "AFFECTED", paths: ["affected"], format: "number" },
];

export const replyColumns: readonly Column[] = [
  { title: "INDEX", paths: ["index"] },
  { title: "WHEN", paths: ["when"] },
  { title: "SENDS", paths: ["sends"] },
  { title: "TIMES", paths: ["times"], format: "number" },
  { title: "USED", paths: ["used"], format: "number" },
];

/** The sandbox's error for rejected values. It is recognized by its name, so that its class need not be loaded. */
interface ControlRefused extends Error {
  readonly issues: readonly { readonly path: Path; readonly message: string }[];
}

const isControlRefused = (error: unknown): error is ControlRefused =>
  error instanceof Error && error.name === "ControlRefused" && "issues" in error;

export const unchanged = "Nothing was changed.";

/** The error for values that the sandbox rejects, with the names that the user knows. Returns other errors unchanged. */
export function refusal(error: unknown, nameOf: (path: Path) => string, hint: string | undefined): unknown {
  if (!isControlRefused(error)) return error;
  const { issues, message } = error;
  if (issues.length === 0) return new UsageError(message, { hint });
  return invalidValues(
    issues.map((issue) => ({ flag: nameOf(issue.path), message: issue.message })),
    hint,
  );
}

type Numbered = Pick<SandboxControl["faults"], "list" | "clear">;

/**
 * Removes the record with the number `id`, or all records if `id` is undefined. Throws `NotFound` if there is no record
 * with that number. `name` is what the error calls a record, such as `fault`.
 */
export async function clearNumbered(records: Numbered, name: string, id: number | undefined) {
  const cleared = await records.clear(id);
  assertFound(cleared, name, id);
  return { cleared };
}

/** Counts the records that `clearNumbered` would remove. Throws the same error. */
export async function countNumbered(records: Numbered, name: string, id: number | undefined) {
  const all = await records.list();
  const matching = all.filter((one) => id === undefined || (isRecord(one) && one.id === id));
  assertFound(matching.length, name, id);
  return { wouldClear: matching.length };
}

function assertFound(count: number, name: string, id: number | undefined): void {
  if (id !== undefined && count === 0) throw new NotFound(`${name} ${id} does not exist`);
}

/** Whether an error says that a state file is damaged, from a newer version, or from another program. */
const isUnusableState = (error: unknown): boolean =>
  error instanceof Error &&
  error.name === "StoreError" &&
  "problem" in error &&
  error.problem !== "unavailable";

/**
 * Reads `file` as text. `from` is the argument or flag that gave the path, for messages. Throws `UsageError` if the text
 * is not valid UTF-8.
 */
export async function readText(
  file: string,
  files: Pick<Context["files"], "read">,
  from = "FILE",
): Promise<string> {
  const bytes = await files.read(file, from, "document");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${file === "-" ? "stdin" : file} is not valid UTF-8`);
  }
}
