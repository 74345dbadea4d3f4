import type { Failure } from "../../command-kit/context.ts";
import { type FailedItem, reasonOf } from "../../core/errors.ts";
import { asList, isRecord } from "../../core/json.ts";
import { stateHint } from "../../core/sandbox.ts";
import { isRedirect } from "../../core/service-errors.ts";
import { sentence } from "../../core/text.ts";
import { askedWait } from "../../core/values/durations.ts";
import { exit, exitForStatus } from "./exit.ts";

/** The fields that depend on the kind of error. */
type Meaning = Partial<Omit<Failure, "message">> & { readonly exitCode: number };

/** The properties that error classes may have besides a message. */
export interface Details extends Error {
  readonly code?: string;
  readonly status?: number;
  readonly issues?: readonly unknown[];
  readonly request?: { readonly method: string; readonly url: string } | null;
  readonly hint?: string;
  readonly finding?: string;
  readonly retryAfter?: number;
  readonly failures?: readonly FailedItem[];
  readonly succeeded?: number;
  readonly problem?: string;
}

/** If an issue is about a field, adds the flag that sets this field. */
type AddFlag = (issue: unknown) => unknown;

/** The meaning of each error. The keys are the names of the errors, so that no error class has to be loaded. */
export const meanings: Readonly<
  Record<string, (error: Details, sandbox: boolean, addFlag: AddFlag) => Meaning>
> = {
  UsageError: () => ({ code: "USAGE", exitCode: exit.usage }),
  Unavailable: () => ({ code: "UNAVAILABLE", exitCode: exit.usage }),
  ProgramFailed: () => ({ code: "PROGRAM_FAILED", exitCode: exit.usage }),
  BadFilter: () => ({ code: "USAGE", exitCode: exit.usage }),
  FilterFailed: () => ({ code: "FILTER_FAILED", exitCode: exit.service }),
  SaveFailed: () => ({ code: "NOT_SAVED", exitCode: exit.usage }),
  InsecureUrl: () => ({
    code: "INSECURE_URL",
    exitCode: exit.usage,
    hint: "Use https, or allow plain http with --insecure-http.",
  }),
  NoBaseUrl: () => ({
    code: "NO_BASE_URL",
    exitCode: exit.credential,
    hint: "Set one with `gpuctl setup`, or use --sandbox, which needs no account.",
  }),
  NoCredential: () => ({
    code: "NO_CREDENTIAL",
    exitCode: exit.credential,
    hint: "Log in with `gpuctl auth login`, set GPUCTL_API_KEY, or use --sandbox, which needs no key.",
  }),
  KeyRejected: () => ({
    code: "UNAUTHORIZED",
    exitCode: exit.credential,
    hint: "Nothing was saved. Check the key and the base URL; --no-validate saves a key untested.",
  }),
  KeyBelongsElsewhere: () => ({ code: "KEY_OF_ANOTHER_HOST", exitCode: exit.credential }),
  KeyCommandFailed: () => ({
    code: "NO_CREDENTIAL",
    exitCode: exit.credential,
    hint: "Check the command with `gpuctl config get apiKeyCommand`, or store a key with `gpuctl auth login`.",
  }),
  ServiceError: (error, sandbox) => ({
    exitCode: exitForStatus(error.status ?? 0),
    retryable: error.status === 429 || error.status === 408 || (error.status ?? 0) >= 500,
    hint: serviceHint(error, sandbox),
  }),
  InvalidResponse: () => ({ code: "UNREADABLE_ANSWER", exitCode: exit.service, retryable: true }),
  UnexpectedResponse: () => ({ code: "UNREADABLE_ANSWER", exitCode: exit.service, retryable: true }),
  ResponseTooLarge: () => ({ code: "ANSWER_TOO_LARGE", exitCode: exit.service }),
  EmptyResult: () => ({ code: "USELESS_ANSWER", exitCode: exit.service }),
  SchemaMismatch: () => ({ code: "SCHEMA_MISMATCH", exitCode: exit.service }),
  ResultTruncated: () => ({ code: "ANSWER_CUT", exitCode: exit.service }),
  StreamTruncated: () => ({
    code: "ANSWER_CUT",
    exitCode: exit.network,
    retryable: true,
    hint: "You may have been charged for what arrived, and a retry sends a new request.",
  }),
  NetworkError: () => ({
    exitCode: exit.network,
    retryable: true,
    hint: "Nothing was changed, so it is safe to retry.",
  }),
  UnknownOutcome: (error) => ({
    code: "UNKNOWN_OUTCOME",
    exitCode: exit.unknownOutcome,
    hint: [
      ...(isRedirect(error.status) ? [redirectHint] : []),
      error.finding ?? "The request may have taken effect. Check before you try again.",
    ].join(" "),
  }),
  Unhealthy: () => ({ code: "UNHEALTHY", exitCode: exit.fault }),
  ExpectationFailed: () => ({ code: "EXPECTATION_FAILED", exitCode: exit.fault }),
  CannotPrint: () => ({ code: "NOT_PRINTED", exitCode: exit.fault }),
  NotPlayed: () => ({ code: "NOT_PLAYED", exitCode: exit.fault }),
  StoredElsewhere: () => ({ code: "STORED_ELSEWHERE", exitCode: exit.fault }),
  DiskFailed: () => ({ code: "DISK_FAILED", exitCode: exit.fault }),
  LeaseNotStored: () => ({ code: "NOT_STORED", exitCode: exit.fault }),
  LeaseUnclear: () => ({ code: "LEASE_UNCLEAR", exitCode: exit.unknownOutcome }),
  NotNotified: () => ({ code: "NOT_NOTIFIED", exitCode: exit.fault }),
  AnswerNotStored: () => ({ code: "NOT_STORED", exitCode: exit.fault }),
  ResultLost: () => ({
    code: "RESULT_LOST",
    exitCode: exit.fault,
    hint: "You were charged for the result, and it could not be saved anywhere. Free some space before you try again.",
  }),
  NoDescription: ({ cause }, sandbox) => ({
    ...meaningOf(cause, sandbox),
    code: "NO_DESCRIPTION",
  }),
  NotOffered: () => ({ code: "NOT_OFFERED", exitCode: exit.notFound }),
  NotFound: () => ({ code: "NOT_FOUND", exitCode: exit.notFound }),
  RentalFailed: () => ({ code: "RENTAL_FAILED", exitCode: exit.service }),
  RentalUnreachable: () => ({ code: "RENTAL_UNREACHABLE", exitCode: exit.service }),
  StillBilled: () => ({ code: "STILL_BILLED", exitCode: exit.unknownOutcome }),
  LimitReached: () => ({ code: "LIMIT_REACHED", exitCode: exit.notReady }),
  NotFetched: () => ({ code: "NOT_FETCHED", exitCode: exit.fault }),
  NotReady: () => ({ code: "NOT_READY", exitCode: exit.notReady, retryable: true }),
  WaitedTooLong: () => ({ code: "WAITED_TOO_LONG", exitCode: exit.notReady, retryable: true }),
  BudgetExceeded: () => ({
    code: "BUDGET_EXCEEDED",
    exitCode: exit.budget,
    hint: "Nothing was sent.",
  }),
  SomeFailed: ({ failures = [], succeeded = 0 }, sandbox, addFlag) => ({
    code: "SOME_FAILED",
    exitCode: exitForItems(
      failures.map(({ error }) => meaningOf(error, sandbox).exitCode),
      succeeded,
    ),
    issues: failures.map(({ name, error }) => ({ path: name, message: itemText(error, sandbox, addFlag) })),
  }),
  BatchNeedsLook: () => ({ code: "SOME_FAILED", exitCode: exit.someFailed }),
  BatchUnfinished: () => ({ code: "UNFINISHED", exitCode: exit.network, retryable: true }),
  InUse: () => ({ code: "IN_USE", exitCode: exit.usage }),
  InputChanged: () => ({ code: "INPUT_CHANGED", exitCode: exit.network, retryable: true }),
  JournalInvalid: () => ({
    code: "JOURNAL_INVALID",
    exitCode: exit.usage,
    hint: "Restore the file. A new batch with another output file would send every line again.",
  }),
  NotTried: ({ cause }, sandbox) => ({ exitCode: meaningOf(cause, sandbox).exitCode }),
  InterruptedWrite: ({ request, finding }) => ({
    code: "INTERRUPTED",
    exitCode: exit.interrupted,
    hint:
      finding ??
      (request?.url.includes("/v1/")
        ? "You may have been charged, and a retry sends a new request."
        : "Check what the request did before you try again."),
  }),
  Interrupted: () => ({ code: "INTERRUPTED", exitCode: exit.interrupted }),
  NotRegularFile: () => ({ code: "USAGE", exitCode: exit.usage }),
  CannotListen: () => ({ code: "CANNOT_LISTEN", exitCode: exit.usage }),
  ControlRefused: () => ({ code: "USAGE", exitCode: exit.usage }),
  StoreError: ({ problem }) => ({ code: "SANDBOX_STATE", exitCode: exit.usage, hint: stateHint(problem) }),
  MissingDependency: () => ({ code: "MISSING_DEPENDENCY", exitCode: exit.usage }),
};

const meaningOf = (cause: unknown, sandbox: boolean): Meaning =>
  (cause instanceof Error && meanings[cause.name]?.(cause, sandbox, (issue) => issue)) || {
    exitCode: exit.fault,
  };

/** The exit code for several items. `codes` are the exit codes of those that failed. */
function exitForItems(codes: readonly number[], succeeded: number): number {
  const [first = exit.fault] = codes;
  for (const worst of [exit.interrupted, exit.unknownOutcome]) if (codes.includes(worst)) return worst;
  return succeeded === 0 && codes.every((code) => code === first) ? first : exit.someFailed;
}

/** Why one of several items failed. */
function itemText(cause: unknown, sandbox: boolean, addFlag: AddFlag): string {
  const { status, request, finding, issues = [] }: Partial<Details> = cause instanceof Error ? cause : {};
  const isUnknown = meaningOf(cause, sandbox).code === "UNKNOWN_OUTCOME";
  const response =
    request && status !== undefined ? ` (${request.method} ${request.url} returned ${status})` : "";
  const why = issues.length > 0 ? `: ${issues.map((issue) => issueText(addFlag(issue))).join("; ")}` : "";
  return `${isUnknown ? unknownPrefix : ""}${reasonOf(cause)}${response}${why}${finding ? `. ${finding}` : ""}`;
}

/** The path of a field, from a list of names or indexes, or from text with dots; empty for anything else. */
export function fieldPath(path: unknown): readonly (string | number)[] {
  if (typeof path === "string") return path === "" ? [] : path.split(".");
  return asList(path).filter((step) => typeof step === "string" || typeof step === "number");
}

/**
 * An issue as text. An issue that gpuctl found in the input is `{flag, message}`. Other issues are usually
 * `{path, message}`. If a flag sets the field at this path, gpuctl has added it as `flag`. A service may also send any
 * other value as an issue.
 */
export function issueText(issue: unknown): string {
  if (typeof issue === "string") return issue;
  if (!isRecord(issue)) return JSON.stringify(issue);
  const { flag, message } = issue;
  if (typeof message !== "string") return JSON.stringify(issue);
  const path = fieldPath(issue.path).join(".");
  const place = typeof flag !== "string" ? path : path === "" ? flag : `${flag} (${path})`;
  return place === "" ? message : sentence({ flag: place, message });
}

/** Goes before the message of an error that leaves the outcome unknown. */
export const unknownPrefix = "the outcome is unknown: ";

const redirectHint =
  "The base URL redirects. Set it (--base-url, GPUCTL_BASE_URL or the profile) to the final address.";

function serviceHint({ status = 0, retryAfter, issues = [] }: Details, sandbox: boolean): string | null {
  if (status === 401 && sandbox) {
    return "The sandbox's user was deleted, or the key was revoked or does not belong to the sandbox. Unset GPUCTL_API_KEY to use the sandbox's own key, or start over with `gpuctl sandbox reset --yes`.";
  }
  if (status === 401)
    return "`gpuctl auth status` shows which key is used. If it comes from GPUCTL_API_KEY, set that variable to another key. If it comes from the profile, `gpuctl auth login` replaces it.";
  // If there are issues, they give the reason, such as a quota that is used up.
  if (status === 403 && !issues.some(isRecord)) return "The key does not have permission for this request.";
  if (isRedirect(status)) return redirectHint;
  const wait = askedWait(retryAfter);
  if (status === 429) return `Too many requests. ${wait ?? "Wait, then try again."}`;
  return wait ?? null;
}
