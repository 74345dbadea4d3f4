import type { Exchange } from "../../client/fetch.ts";
import type { Failure } from "../../command-kit/context.ts";
import { Incomplete } from "../../core/errors.ts";
import { isRecord } from "../../core/json.ts";
import { escapedJson } from "../../output/json.ts";
import { oneLine } from "../../output/text.ts";
import type { Invocation } from "../parse/program.ts";
import { flagFor } from "../parse/values.ts";
import { serviceFlags, withServiceFlags } from "../print/service-flags.ts";
import { exit } from "./exit.ts";
import { type Details, fieldPath, issueText, meanings, unknownPrefix } from "./failure-meanings.ts";

/** A failure, and the error code that the service itself gave, if any. */
export interface ReportedFailure extends Failure {
  readonly serviceCode: string | null;
}

/** What is known about a failed run. */
export interface FailureContext {
  /** What was done before the failure. */
  readonly completedBefore?: string | undefined;
  /** The last response. */
  readonly last?: Pick<Exchange, "method" | "url" | "status"> | undefined;
  readonly sandbox?: boolean;
  /**
   * The command line. Used to name the flags of fields that the service rejects, and to add the service flags, such as
   * `--sandbox`, to suggested commands.
   */
  readonly invocation?: Pick<Invocation, "command" | "flags" | "globals">;
}

/** The names of errors that are about the content of a response but do not hold its request. */
const aboutResponse: ReadonlySet<string> = new Set([
  "StreamTruncated",
  "FilterFailed",
  "NotFound",
  "NotReady",
  "EmptyResult",
  "ResultTruncated",
  "WaitedTooLong",
]);

/** Converts any error to a failure. An unexpected error is reported as a bug in gpuctl. */
export function failureOf(
  thrown: unknown,
  { completedBefore, last, sandbox = false, invocation }: FailureContext = {},
): ReportedFailure {
  const { cause, printed } =
    thrown instanceof Incomplete
      ? { cause: thrown.cause, printed: thrown.message }
      : { cause: thrown, printed: undefined };
  const error: Details = cause instanceof Error ? cause : new Error(String(cause));
  const addFlag = (issue: unknown) => withFlag(issue, invocation);
  const known = meanings[error.name]?.(error, sandbox, addFlag) ?? {
    code: "FAULT",
    exitCode: exit.fault,
    hint: "This is a bug in gpuctl. Run with --debug for details.",
  };
  const response = aboutResponse.has(error.name) && error.request !== null ? last : undefined;
  // After something was done, a hint to try again would be wrong.
  const hint = [
    printed,
    completedBefore,
    error.hint ?? (completedBefore && known.retryable ? undefined : known.hint),
  ]
    .filter(Boolean)
    .join(" ");
  const flags = serviceFlags(invocation?.globals ?? {});
  return {
    code: known.code ?? error.code ?? "ERROR",
    message: withServiceFlags(error.message, flags),
    issues: (known.issues?.map((issue) => withCompleteCommands(issue, flags)) ?? error.issues ?? []).map(
      addFlag,
    ),
    status: error.status ?? response?.status ?? null,
    exitCode: known.exitCode,
    retryable: completedBefore === undefined && known.retryable === true,
    hint: withServiceFlags(hint, flags) || null,
    request: error.request ?? (response ? { method: response.method, url: response.url } : null),
    serviceCode: serviceCode(error),
  };
}

/** Adds the service flags to the commands that are suggested in the message of a failed item. */
const withCompleteCommands = (issue: unknown, flags: readonly string[]): unknown =>
  isRecord(issue) && typeof issue.message === "string"
    ? { ...issue, message: withServiceFlags(issue.message, flags) }
    : issue;

/** The service's own error code. Null for `HTTP_<status>`, which gpuctl uses if the service gave no code. */
const serviceCode = ({ name, code, status }: Details): string | null =>
  name === "ServiceError" && code !== undefined && code !== `HTTP_${status}` ? code : null;

/** Completes an issue that the service reported for a field: adds the name of the flag that sets this field. */
function withFlag(issue: unknown, invocation: FailureContext["invocation"]): unknown {
  if (!invocation || !isRecord(issue) || "flag" in issue) return issue;
  const path = fieldPath(issue.path);
  const flag = path.length > 0 ? flagFor(path, invocation) : undefined;
  return flag === undefined ? issue : { ...issue, flag };
}

/** A failure as one JSON document, for machine formats. */
export const failureDocument = ({ serviceCode: _, ...failure }: ReportedFailure): string =>
  `${escapedJson({ error: failure })}\n`;

/** A failure as text for people. A line feed in a text from outside never starts a new line. */
export function failureText(failure: ReportedFailure): string {
  const { code, message, status, issues, hint, request, serviceCode } = failure;
  const response = serviceCode === null ? status : `${status} ${serviceCode}`;
  // If a record does not exist, the service may respond with status 200 and `null`. That status would contradict the
  // message.
  const isShown = status !== null && !(code === "NOT_FOUND" && status < 400);
  const where = request && isShown ? ` (${request.method} ${request.url} returned ${response})` : "";
  const sent = request && !isShown ? ` (${request.method} ${request.url})` : "";
  const lines = [
    `Error: ${code === "UNKNOWN_OUTCOME" ? unknownPrefix : ""}${message}${where}${sent}`,
    ...issues.map((issue) => `  ${issueText(issue)}`),
    ...(hint ? [hint] : []),
  ];
  return lines.map((line) => `${oneLine(line, false)}\n`).join("");
}
