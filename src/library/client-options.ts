import { urlProblem } from "../core/urls.ts";
import { maxTimerMs } from "../core/values/durations.ts";
import { reservedHeaders } from "../openapi/request.ts";
import { booleanRule, functionRule, type OptionRule, wholeNumberRule } from "./options.ts";

/** Sends a request and returns its response, like the standard `fetch`. */
export type GivenFetch = (url: string, init: RequestInit) => Promise<Response>;

/** Receives messages about calls. You can use `console`. No message contains the key. */
export interface Logger {
  /** Called after each request, with the method, the URL, the status and the duration. */
  readonly debug?: ((message: string) => void) | undefined;
  /** Called before a read is sent again. */
  readonly info?: ((message: string) => void) | undefined;
  /** Called when a list may be incomplete. If not set, a process warning is emitted. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** Options of a single call. They override those of the client. */
export interface RequestOptions {
  /**
   * Aborts the call. A write that was already sent rejects with `InterruptedWrite`. Any other call, and a stream that
   * has yielded text, rejects with the signal's reason.
   */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of each attempt, in milliseconds. */
  readonly timeout?: number | undefined;
  /** Retries of a read. Writes are never retried. */
  readonly retries?: number | undefined;
  /** Headers to add to the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface ClientOptions {
  /** Base URL of the compute API, such as `https://api.example.com`. Its path prefix and query are kept. */
  readonly baseUrl: string;
  /** Base URL of the inference API; `baseUrl` by default. */
  readonly inferenceBaseUrl?: string | undefined;
  readonly apiKey: string;
  /**
   * Sends the requests instead of the client's own transport, for example the sandbox's `fetch` or the global one. It
   * is called with `redirect: "manual"`.
   */
  readonly fetch?: GivenFetch | undefined;
  /** Timeout of each attempt, in milliseconds; by default 30 s for compute and 5 minutes for inference. */
  readonly timeout?: number | undefined;
  /** Retries of a read; 3 by default. Writes are never retried. */
  readonly retries?: number | undefined;
  /** Headers to add to every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Receives messages about requests, retries and incomplete lists. You can use `console`. */
  readonly logger?: Logger | undefined;
  /** `gpuctl/` and the version by default. */
  readonly userAgent?: string | undefined;
  /** Allows sending the key over plain http to another machine. */
  readonly insecureHttp?: boolean | undefined;
  /** Whether inputs are checked against the documented limits before they are sent; true by default. */
  readonly validate?: boolean | undefined;
}

const urlRule: OptionRule = {
  expected: "a URL such as https://api.example.com",
  isValid: (value) => typeof value === "string" && urlProblem(value) === undefined,
};

/** A time in milliseconds that a timer can wait for. */
export const millisecondsRule: OptionRule = {
  expected: `a number of milliseconds from 1 to ${maxTimerMs}`,
  isValid: (value) => typeof value === "number" && value >= 1 && value <= maxTimerMs,
};

const printableAscii = /^[\x20-\x7e]*$/;

/** Headers that the client or the connection sets. */
const isOwnHeader = (name: string): boolean =>
  reservedHeaders.has(name.toLowerCase()) || /^user-agent$/i.test(name);

const headersRule: OptionRule = {
  expected: `an object of header names and printable ASCII values, without the headers ${[...reservedHeaders].join(", ")} and user-agent`,
  isValid: (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.entries(value).every(
      ([name, text]) =>
        /^[\w!#$%&'*+.^`|~-]+$/.test(name) &&
        !isOwnHeader(name) &&
        typeof text === "string" &&
        printableAscii.test(text),
    ),
};

/**
 * Whether a value is an AbortSignal. It may come from another implementation, such as a simulated browser in a test.
 */
const isSignal = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  ["aborted", "addEventListener", "removeEventListener"].every((name) => name in value);

const loggerRule: OptionRule = {
  expected: "an object with optional functions debug, info and warn, such as console",
  isValid: (value) =>
    typeof value === "object" &&
    value !== null &&
    ["debug", "info", "warn"].every((name) =>
      ["undefined", "function"].includes(typeof Reflect.get(value, name)),
    ),
};

export const requestOptionRules: Readonly<Record<keyof RequestOptions, OptionRule>> = {
  signal: { expected: "an AbortSignal", isValid: isSignal },
  timeout: millisecondsRule,
  retries: wholeNumberRule(0),
  headers: headersRule,
};

export const clientOptionRules: Readonly<Record<keyof ClientOptions, OptionRule>> = {
  baseUrl: urlRule,
  inferenceBaseUrl: urlRule,
  apiKey: { expected: "a string", isValid: (value) => typeof value === "string" },
  fetch: functionRule,
  timeout: millisecondsRule,
  retries: wholeNumberRule(0),
  headers: headersRule,
  logger: loggerRule,
  userAgent: {
    expected: "printable ASCII text",
    isValid: (value) => typeof value === "string" && value !== "" && printableAscii.test(value),
  },
  insecureHttp: booleanRule,
  validate: booleanRule,
};
