import type { Context, SandboxControl } from "../../context/context.ts";
import { UsageError } from "../errors.ts";
import { nothingDone } from "../shared/dry-run.ts";

/** What a refusal of the sandbox's controls looks like; its class is not loaded to tell. */
interface Refused extends Error {
  readonly issues: readonly { readonly path: readonly (string | number)[]; readonly message: string }[];
}

const isRefused = (error: unknown): error is Refused =>
  error instanceof Error && error.name === "ControlRefused" && "issues" in error;

/**
 * Does something to the sandbox, and gives what it came to. In a dry run it does nothing, says so, and gives the other
 * thing. A refusal becomes a `UsageError`; `nameOf` says what the user typed for the first step of a place, by which
 * the rest of it is told too.
 */
export async function controlled<Result>(
  { sandbox, settings, say }: Pick<Context, "sandbox" | "settings" | "say">,
  work: {
    readonly run: (control: SandboxControl) => Result | Promise<Result>;
    readonly dry: (control: SandboxControl) => Result;
    readonly nameOf: (path: readonly (string | number)[]) => string;
  },
): Promise<Result> {
  const control = await sandbox();
  if (settings.dryRun) {
    say(nothingDone);
    return work.dry(control);
  }
  try {
    return await work.run(control);
  } catch (error) {
    throw isRefused(error) ? told(error, work.nameOf) : error;
  }
}

function told(
  { issues, message }: Refused,
  nameOf: (path: readonly (string | number)[]) => string,
): UsageError {
  const hint = "Nothing was changed.";
  const [first, ...more] = issues.map((issue) => ({ flag: nameOf(issue.path), message: issue.message }));
  if (first === undefined) return new UsageError(message, { hint });
  if (more.length === 0) return new UsageError(`${first.flag} ${first.message}`, { hint });
  return new UsageError(`${issues.length} values cannot be used`, { issues: [first, ...more], hint });
}
