import { aFunction, aSwitch, checkOptionsOf, type OptionRule, wholeNumber } from "./options.ts";

/** Sends a request and gives back its answer, as the web's `fetch` does. */
export type GivenFetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ClientOptions {
  /** Host of the compute API, such as `https://api.example.com`. A path prefix and a query in it are kept. */
  readonly baseUrl: string;
  /** Host of the inference API; the base URL when left out. */
  readonly inferenceBaseUrl?: string | undefined;
  readonly apiKey: string;
  /**
   * Sends the requests in the place of the client's own transport, such as the sandbox's or the global `fetch`.
   * Redirects are not for it to follow: it is told so.
   */
  readonly fetch?: GivenFetch | undefined;
  /** Longest time for one try, in milliseconds; 30 s for compute and 5 minutes for inference when left out. */
  readonly timeout?: number | undefined;
  /** Tries of a read after the first one; 3 when left out. Nothing but reads is ever tried again. */
  readonly retries?: number | undefined;
  /** `gpuctl/` and the version when left out. */
  readonly userAgent?: string | undefined;
  /** Lets the key travel over plain http to another machine. */
  readonly insecureHttp?: boolean | undefined;
  /** Whether inputs are held against the documented limits before they are sent; they are when left out. */
  readonly validate?: boolean | undefined;
}

/** Throws `TypeError` that names the option which cannot be used, and says what would be right. */
export const checkOptions = (options: ClientOptions): void =>
  checkOptionsOf("createClient", options, rules, ["baseUrl", "apiKey"]);

/** Milliseconds that the system's timers hold. */
const longestTimer = 2 ** 31 - 1;

const host: OptionRule = {
  right: "a URL such as https://api.example.com",
  holds: (value) => typeof value === "string" && /^https?:\/\//i.test(value) && URL.canParse(value),
};

const rules: Readonly<Record<keyof ClientOptions, OptionRule>> = {
  baseUrl: host,
  inferenceBaseUrl: host,
  apiKey: { right: "a text", holds: (value) => typeof value === "string" },
  fetch: aFunction,
  timeout: {
    right: `a number of milliseconds from 1 to ${longestTimer}`,
    holds: (value) => typeof value === "number" && value > 0 && value <= longestTimer,
  },
  retries: wholeNumber(0),
  userAgent: {
    right: "a text that a header can carry",
    holds: (value) => typeof value === "string" && /^[\x20-\x7e]+$/.test(value),
  },
  insecureHttp: aSwitch,
  validate: aSwitch,
};
