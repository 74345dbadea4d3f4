import { urlProblem } from "../core/urls.ts";
import { maxTimerMs } from "../core/values/durations.ts";
import { booleanRule, functionRule, type OptionRule, wholeNumberRule } from "./options.ts";

/** Sends a request and returns its response, like the standard `fetch`. */
export type GivenFetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ClientOptions {
  /** Base URL of the compute API, such as `https://api.example.com`. Its path prefix and query are kept. */
  readonly baseUrl: string;
  /** Base URL of the inference API; `baseUrl` by default. */
  readonly inferenceBaseUrl?: string | undefined;
  readonly apiKey: string;
  /**
   * Sends the requests instead of the client's own transport, such as the sandbox's `fetch` or the global one.
   * It is called with `redirect: "manual"`.
   */
  readonly fetch?: GivenFetch | undefined;
  /** Timeout of each attempt, in milliseconds; by default 30 s for compute and 5 minutes for inference. */
  readonly timeout?: number | undefined;
  /** Retries of a read; 3 by default. Writes are never retried. */
  readonly retries?: number | undefined;
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

export const clientOptionRules: Readonly<Record<keyof ClientOptions, OptionRule>> = {
  baseUrl: urlRule,
  inferenceBaseUrl: urlRule,
  apiKey: { expected: "a string", isValid: (value) => typeof value === "string" },
  fetch: functionRule,
  timeout: {
    expected: `a number of milliseconds from 1 to ${maxTimerMs}`,
    isValid: (value) => typeof value === "number" && value > 0 && value <= maxTimerMs,
  },
  retries: wholeNumberRule(0),
  userAgent: {
    expected: "printable ASCII text",
    isValid: (value) => typeof value === "string" && /^[\x20-\x7e]+$/.test(value),
  },
  insecureHttp: booleanRule,
  validate: booleanRule,
};
