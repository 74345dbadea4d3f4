import { exit, exitForStatus } from "./exit.ts";

/** An error as users see it: the parts of the error document. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly issues: readonly unknown[];
  readonly status: number | null;
  readonly exitCode: number;
  /** Whether the same command may be tried again as it is. */
  readonly retryable: boolean;
  readonly hint: string | null;
  readonly request: { readonly method: string; readonly url: string } | null;
}

/** What an error means beside its message. */
type Meaning = Partial<Omit<Failure, "message">> & { readonly exitCode: number };

/** An error as far as it may tell more than a message. */
export interface Details extends Error {
  readonly code?: string;
  readonly status?: number;
  readonly issues?: readonly unknown[];
  readonly request?: { readonly method: string; readonly url: string } | null;
  readonly hint?: string;
  readonly finding?: string;
}

/** What each named error means, by its name: classes are not loaded to tell. */
export const meanings: Readonly<Record<string, (error: Details, sandbox: boolean) => Meaning>> = {
  UsageError: () => ({ code: "USAGE", exitCode: exit.usage }),
  Unavailable: () => ({ code: "UNAVAILABLE", exitCode: exit.usage }),
  ProgramFailed: () => ({ code: "PROGRAM_FAILED", exitCode: exit.usage }),
  BadFilter: () => ({ code: "USAGE", exitCode: exit.usage }),
  FilterFailed: () => ({ code: "FILTER_FAILED", exitCode: exit.service }),
  BadTemplate: () => ({ code: "USAGE", exitCode: exit.usage }),
  SaveFailed: () => ({ code: "NOT_SAVED", exitCode: exit.usage }),
  InsecureUrl: () => ({
    code: "INSECURE_URL",
    exitCode: exit.usage,
    hint: "Use https, or say --insecure-http if you mean it.",
  }),
  NoBaseUrl: () => ({
    code: "NO_BASE_URL",
    exitCode: exit.credential,
    hint: "`gpuctl setup` asks for one and keeps it; --sandbox needs neither account nor host.",
  }),
  NoCredential: () => ({
    code: "NO_CREDENTIAL",
    exitCode: exit.credential,
    hint: "`gpuctl auth login` keeps a key; GPUCTL_API_KEY gives one; --sandbox needs none.",
  }),
  KeyBelongsElsewhere: () => ({ code: "KEY_OF_ANOTHER_HOST", exitCode: exit.credential }),
  KeyCommandFailed: () => ({
    code: "NO_CREDENTIAL",
    exitCode: exit.credential,
    hint: "`gpuctl config get apiKeyCommand` shows the command line; `gpuctl auth login` keeps another key.",
  }),
  ServiceError: (error, sandbox) => ({
    exitCode: exitForStatus(error.status ?? 0),
    retryable: error.status === 429 || error.status === 408 || (error.status ?? 0) >= 500,
    hint: serviceHint(error.status ?? 0, sandbox),
  }),
  UnreadableAnswer: () => ({ code: "UNREADABLE_ANSWER", exitCode: exit.service, retryable: true }),
  AnswerTooLarge: () => ({ code: "ANSWER_TOO_LARGE", exitCode: exit.service }),
  UselessAnswer: () => ({ code: "USELESS_ANSWER", exitCode: exit.service }),
  AnswerCut: () => ({
    code: "ANSWER_CUT",
    exitCode: exit.network,
    retryable: true,
    hint: "What came was kept. It may have been charged for, and another try asks anew.",
  }),
  NetworkError: () => ({
    exitCode: exit.network,
    retryable: true,
    hint: "Nothing was changed by this; it is safe to try again.",
  }),
  UnknownOutcome: (error) => ({
    code: "UNKNOWN_OUTCOME",
    exitCode: exit.unknown,
    hint: error.finding ?? "It may have taken effect: look before you try again.",
  }),
  Unhealthy: () => ({ code: "UNHEALTHY", exitCode: exit.fault }),
  CannotPrint: () => ({ code: "NOT_PRINTED", exitCode: exit.fault }),
  ResultLost: () => ({
    code: "RESULT_LOST",
    exitCode: exit.fault,
    hint: "It was paid for and could be saved nowhere: make room before you try again.",
  }),
  NoDescription: ({ cause }, sandbox) => ({
    ...asCaused(cause, sandbox),
    code: "NO_DESCRIPTION",
  }),
  NotOffered: () => ({ code: "NOT_OFFERED", exitCode: exit.notFound }),
  NotFound: () => ({ code: "NOT_FOUND", exitCode: exit.notFound }),
  RentalFailed: () => ({ code: "RENTAL_FAILED", exitCode: exit.service }),
  NotReady: () => ({ code: "NOT_READY", exitCode: exit.waited, retryable: true }),
  WaitedTooLong: () => ({ code: "WAITED_TOO_LONG", exitCode: exit.waited, retryable: true }),
  BudgetExceeded: () => ({
    code: "BUDGET_EXCEEDED",
    exitCode: exit.budget,
    hint: "Nothing was sent.",
  }),
  InterruptedWrite: ({ request }) => ({
    code: "INTERRUPTED",
    exitCode: exit.interrupted,
    hint: request?.url.includes("/v1/")
      ? "It may have been charged for; another try asks anew."
      : "Look before you try again: `gpuctl rentals list` and `gpuctl volumes list` show what is there.",
  }),
  Stopped: () => ({ code: "INTERRUPTED", exitCode: exit.interrupted }),
  Interrupted: () => ({ code: "INTERRUPTED", exitCode: exit.interrupted }),
  CannotListen: () => ({ code: "CANNOT_LISTEN", exitCode: exit.usage }),
  ControlRefused: () => ({ code: "USAGE", exitCode: exit.usage }),
  StoreError: () => ({ code: "SANDBOX_STATE", exitCode: exit.usage }),
  MissingDependency: () => ({ code: "MISSING_DEPENDENCY", exitCode: exit.usage }),
};

/** What the cause of an error means by itself. */
const asCaused = (cause: unknown, sandbox: boolean): Meaning =>
  (cause instanceof Error && meanings[cause.name]?.(cause, sandbox)) || { exitCode: exit.fault };

function serviceHint(status: number, sandbox: boolean): string | null {
  if (status === 401 && sandbox) {
    return "The sandbox's user was deleted, or the key was revoked or is none of its own: without GPUCTL_API_KEY it is given its own, and `gpuctl sandbox reset --yes` begins anew.";
  }
  if (status === 401)
    return "`gpuctl auth login` keeps another key; `gpuctl auth status` says which one is used.";
  if (status === 403) return "The key lacks access to this.";
  if (status >= 300 && status < 400) {
    return "Check --base-url (or where else the base URL comes from): it must be the address that answers itself.";
  }
  if (status === 429) return "Too many requests: wait, then try again.";
  return null;
}
