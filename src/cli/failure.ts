import type { Exchange } from "../client/exchange.ts";
import { exit } from "./exit.ts";
import { type Details, type Failure, meanings } from "./failure-meanings.ts";

/** A failure, and what the answer said that it is about: its own code, if it had one. */
export interface ToldFailure extends Failure {
  readonly answered: string | null;
}

/** What is known of a run that failed. */
export interface Surroundings {
  /** What was done before the failure. */
  readonly before?: string | undefined;
  /** The last answer that came. */
  readonly last?: Pick<Exchange, "method" | "url" | "status"> | undefined;
  readonly sandbox?: boolean;
}

/** Errors about what an answer says, which came without saying which answer. */
const aboutAnAnswer: ReadonlySet<string> = new Set([
  "AnswerCut",
  "FilterFailed",
  "NotFound",
  "NotReady",
  "RentalFailed",
  "UselessAnswer",
  "WaitedTooLong",
]);

/** An error of any kind as a failure; one that nobody foresaw is a fault of the tool itself. */
export function failureOf(cause: unknown, { before, last, sandbox = false }: Surroundings = {}): ToldFailure {
  const error: Details = cause instanceof Error ? cause : new Error(String(cause));
  const known = meanings[error.name]?.(error, sandbox) ?? {
    code: "FAULT",
    exitCode: exit.fault,
    hint: "This is a fault of gpuctl itself; --debug shows more.",
  };
  const answer = aboutAnAnswer.has(error.name) && error.request !== null ? last : undefined;
  // What was done cannot be undone by trying again, so no advice to do so stands beside it.
  const hint = [before, error.hint ?? (before && known.retryable ? undefined : known.hint)]
    .filter(Boolean)
    .join(" ");
  return {
    code: known.code ?? error.code ?? "ERROR",
    message: error.message,
    issues: error.issues ?? [],
    status: error.status ?? answer?.status ?? null,
    exitCode: known.exitCode,
    retryable: before === undefined && known.retryable === true,
    hint: hint || null,
    request: error.request ?? (answer ? { method: answer.method, url: answer.url } : null),
    answered: ownCode(error),
  };
}

/** The code that the service itself gave; what stands in for one that it did not give is none. */
const ownCode = ({ name, code, status }: Details): string | null =>
  name === "ServiceError" && code !== undefined && code !== `HTTP_${status}` ? code : null;
