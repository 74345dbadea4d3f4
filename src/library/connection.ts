import { setMaxListeners } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { requestIdHeader } from "../client/attempt.ts";
import { orAborted } from "../client/deadline.ts";
import { createCurrentDescriptions } from "../client/description.ts";
import type { Exchange, Fetch } from "../client/fetch.ts";
import type { CallOptions } from "../client/send.ts";
import { NotOffered, reasonOf } from "../core/errors.ts";
import { createRedactor } from "../core/redact.ts";
import { defaultRetries, defaultTimeout, descriptionTimeout } from "../core/values/defaults.ts";
import type { DescriptionStore } from "../openapi/description-store.ts";
import type { Description } from "../openapi/document.ts";
import { type ClientOptions, type RequestOptions, requestOptionRules } from "./client-options.ts";
import { libraryError } from "./errors.ts";
import { version } from "./generated/version.ts";
import { checkOptions, type OptionRule } from "./options.ts";

/**
 * A result with the status and the headers of its response. For a list of several pages, the status and the headers are
 * from the last page.
 */
export interface WithResponse<Result> {
  readonly data: Result;
  readonly status: number;
  readonly headers: Headers;
  /** The ID that the service gave the request, from the header `X-Request-Id`. */
  readonly requestId: string | null;
}

/** The promise of a result. */
export interface CallPromise<Result> extends Promise<Result> {
  /** Resolves with the result and the status and headers of its response. */
  withResponse(): Promise<WithResponse<Result>>;
}

/** A call that is under way. */
export interface OpenCall {
  readonly settings: CallOptions & Required<Pick<CallOptions, "descriptions" | "warn">>;
  /** The service's OpenAPI description. @throws NotOffered when it cannot be fetched */
  readonly describe: () => Promise<Description>;
  readonly validate: boolean;
}

export interface Connection {
  /** Checks the options of a call of `operation`, and starts the call. */
  readonly run: <Result>(
    operation: string,
    given: RequestOptions | undefined,
    work: (call: OpenCall) => Promise<Result>,
    rules?: Readonly<Record<string, OptionRule>>,
  ) => CallPromise<Result>;
  /** Like `run`, but for a call that yields several results. */
  readonly iterate: <Item>(
    operation: string,
    given: RequestOptions | undefined,
    work: (call: OpenCall) => AsyncIterable<Item>,
  ) => AsyncGenerator<Item>;
  /** Aborts all calls that are under way. */
  readonly abortCalls: () => void;
}

export function createConnection(options: ClientOptions, fetch: Fetch): Connection {
  const { timeout, retries = defaultRetries, validate = true } = options;
  const log = loggerOf(options);
  let closing = newClosing();
  const settingsFor = (given: RequestOptions, observe: (exchange: Exchange) => void): CallOptions => {
    const { signal } = given;
    const limit = given.timeout ?? timeout;
    return {
      fetch,
      target: {
        baseUrl: options.baseUrl,
        inferenceBaseUrl: options.inferenceBaseUrl,
        apiKey: options.apiKey,
        userAgent: options.userAgent ?? `gpuctl/${version}`,
        insecureHttp: options.insecureHttp ?? false,
        headers: { ...options.headers, ...given.headers },
      },
      timeout: limit === undefined ? defaultTimeout : { compute: limit, inference: limit },
      retries: given.retries ?? retries,
      random: Math.random,
      now: Date.now,
      sleep: (milliseconds, own = signal) => {
        log.info(`Sending again in ${Math.round(milliseconds)} ms`);
        return sleep(milliseconds, own);
      },
      observe: (exchange) => {
        log.debug(exchangeText(exchange));
        observe(exchange);
      },
      ...(signal && { signal }),
    };
  };
  const newDescriptions = () =>
    createCurrentDescriptions(async () => settingsFor({ signal: closing.signal }, () => {}), {
      now: () => Date.now(),
    });
  let descriptions = newDescriptions();
  const open = (
    given: RequestOptions,
    signal: AbortSignal,
    observe: (exchange: Exchange) => void,
  ): OpenCall => {
    const waitFor = async <Value>(load: (store: DescriptionStore) => Promise<Value>): Promise<Value> => {
      signal.throwIfAborted();
      return orAborted(load(descriptions()), signal);
    };
    return {
      settings: {
        ...settingsFor({ ...given, signal }, observe),
        descriptions: {
          get: () => waitFor((store) => store.get()),
          refresh: () => waitFor((store) => store.refresh()),
        },
        warn: log.warn,
      },
      describe: () =>
        waitFor((store) => store.load({ timeout: descriptionTimeout })).catch((error: unknown) => {
          signal.throwIfAborted();
          throw new NotOffered(
            `the service's description could not be fetched (${reasonOf(error)}), so it is not known what the service offers`,
            "Nothing was sent.",
          );
        }),
      validate,
    };
  };
  return {
    run(operation, given = {}, work, rules = requestOptionRules) {
      let last: Exchange | undefined;
      const result = (async () => {
        checkOptions(operation, given, rules);
        const { signal, release } = eitherSignal(closing.signal, given.signal);
        try {
          return await work(
            open(given, signal, (exchange) => {
              last = exchange;
            }),
          );
        } catch (error) {
          throw libraryError(error, operation);
        } finally {
          release();
        }
      })();
      const withResponse = async () => ({ data: await result, ...responseOf(last) });
      return Object.assign(result, { withResponse });
    },
    async *iterate(operation, given = {}, work) {
      checkOptions(operation, given, requestOptionRules);
      const { signal, release } = eitherSignal(closing.signal, given.signal);
      try {
        yield* work(open(given, signal, () => {}));
      } catch (error) {
        throw libraryError(error, operation);
      } finally {
        release();
      }
    },
    abortCalls: () => {
      const { abort } = closing;
      closing = newClosing();
      // Closing the client aborts a request for the description that is under way, and a store keeps the error of its
      // request. So later calls get a new store.
      descriptions = newDescriptions();
      abort();
    },
  };
}

/** A signal for all calls until the client is closed. */
function newClosing(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  // Without this, Node.js prints a warning if more than ten calls are under way at once.
  setMaxListeners(0, controller.signal);
  return {
    signal: controller.signal,
    abort: () => controller.abort(new DOMException("the client was closed", "AbortError")),
  };
}

/**
 * A signal that is aborted as soon as one of the two given signals is, with the reason of that signal. Unlike
 * `AbortSignal.any`, accepts a signal of another implementation. `release` removes the listeners.
 */
function eitherSignal(
  closing: AbortSignal,
  given: AbortSignal | undefined,
): { readonly signal: AbortSignal; readonly release: () => void } {
  if (given === undefined) return { signal: closing, release: () => {} };
  const controller = new AbortController();
  const abortClosing = () => controller.abort(closing.reason);
  const abortGiven = () => controller.abort(given.reason);
  if (given.aborted) abortGiven();
  closing.addEventListener("abort", abortClosing);
  given.addEventListener("abort", abortGiven);
  return {
    signal: controller.signal,
    release: () => {
      closing.removeEventListener("abort", abortClosing);
      given.removeEventListener("abort", abortGiven);
    },
  };
}

/** Waits. If the signal is aborted, rejects with its reason. */
export const sleep = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  pause(milliseconds, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());

function responseOf(exchange: Exchange | undefined): Omit<WithResponse<unknown>, "data"> {
  const headers = new Headers(Array.from(exchange?.headers() ?? [], ([name, value]) => [name, value]));
  return { status: exchange?.status ?? 0, headers, requestId: headers.get(requestIdHeader) };
}

const exchangeText = ({ method, url, status, milliseconds }: Exchange): string =>
  `${method} ${url}: ${status ?? "no response"} in ${milliseconds} ms`;

/**
 * The functions of a logger. The API key is masked in messages, because a service may repeat it in the URL of a
 * redirect. An error in a function does not affect the call.
 */
function loggerOf({
  logger = {},
  apiKey,
}: ClientOptions): Readonly<Record<"debug" | "info" | "warn", (message: string) => void>> {
  const redactor = createRedactor();
  redactor.add(apiKey);
  const safely = (level: "debug" | "info" | "warn") => (message: string) => {
    try {
      logger[level]?.(redactor.redact(message));
    } catch {
      // An error of the logger must not change the outcome of the call.
    }
  };
  return { debug: safely("debug"), info: safely("info"), warn: logger.warn ? safely("warn") : warnProcess };
}

/** Emits a process warning. A list can be incomplete although the call succeeds, and the array itself cannot say so. */
const warnProcess = (message: string): void => globalThis.process.emitWarning(message, "GpuctlWarning");
