import { setTimeout as pause } from "node:timers/promises";
import { call } from "../client/call.ts";
import { type CompletionChunk, completionChunks } from "../client/completion/chunks.ts";
import { orAborted } from "../client/deadline.ts";
import { createDescriptions } from "../client/description.ts";
import type { Fetch } from "../client/fetch.ts";
import type { CallOptions } from "../client/send.ts";
import { stream } from "../client/stream.ts";
import type { Issue } from "../contract/check/check.ts";
import type { InputOf, OperationId } from "../contract/index.ts";
import type { Operation } from "../contract/operation.ts";
import { sentence } from "../core/text.ts";
import { defaultRetries, defaultTimeout } from "../core/values/defaults.ts";
import {
  type DescriptionCache,
  type DescriptionLookup,
  type DescriptionStore,
  retryAfterMs,
} from "../openapi/description-store.ts";
import type { ClientOptions } from "./client-options.ts";
import type { StreamedId } from "./generated/types.ts";
import { version } from "./generated/version.ts";
import { checkOptions, type OptionRule, shown } from "./options.ts";

/** Options of a single call. */
export interface RequestOptions {
  /** Aborts the call. A read rejects with the signal's reason, a write that was sent with `InterruptedWrite`. */
  readonly signal?: AbortSignal | undefined;
}

/** Checks inputs, sends them, and returns results. */
export interface Sender {
  readonly send: (id: OperationId, input: object, options?: RequestOptions) => Promise<unknown>;
  readonly stream: (
    id: StreamedId,
    input: object,
    options?: RequestOptions,
  ) => AsyncGenerator<CompletionChunk>;
}

/** Whether a value is an AbortSignal, even of another implementation, such as that of a browser environment in a test. */
const isSignal = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "aborted" in value && "addEventListener" in value;

const callRules: Readonly<Record<keyof RequestOptions, OptionRule>> = {
  signal: { expected: "an AbortSignal", isValid: isSignal },
};

/** The operations whose response can be streamed. */
const streams: Readonly<Record<StreamedId, true>> = { createChatCompletion: true };

export function createSender(options: ClientOptions, fetch: Fetch, warn: (message: string) => void): Sender {
  const { timeout, retries = defaultRetries, validate = true } = options;
  const settings = ({ signal }: RequestOptions): CallOptions => ({
    fetch,
    target: {
      baseUrl: options.baseUrl,
      inferenceBaseUrl: options.inferenceBaseUrl,
      apiKey: options.apiKey,
      userAgent: options.userAgent ?? `gpuctl/${version}`,
      insecureHttp: options.insecureHttp ?? false,
    },
    timeout: timeout === undefined ? defaultTimeout : { compute: timeout, inference: timeout },
    retries,
    random: Math.random,
    now: Date.now,
    sleep: (milliseconds) =>
      pause(milliseconds, undefined, signal && { signal }).catch(() => signal?.throwIfAborted()),
    ...(signal && { signal }),
  });
  const descriptionsFor = createDescriptionLookups(() => settings({}));
  const checked = async <Id extends OperationId>(id: Id, input: object): Promise<InputOf<Id>> => {
    if (validate) await assertValid(id, input);
    return input as InputOf<Id>;
  };
  return {
    send: async (id, input, given = {}) => {
      checkOptions(id, given, callRules);
      const descriptions = descriptionsFor(given.signal);
      return call(id, await checked(id, input), { ...settings(given), descriptions, warn });
    },
    async *stream(id, input, given = {}) {
      if (!Object.hasOwn(streams, id)) {
        const known = Object.keys(streams).join(", ");
        throw new TypeError(`stream requires an operation that streams (${known}), not ${shown(id)}`);
      }
      checkOptions("stream", given, callRules);
      const streamed = { ...(await checked(id, input)), stream: true };
      given.signal?.throwIfAborted();
      yield* completionChunks(await stream(id, streamed, settings(given)));
    },
  };
}

/** An input is outside the documented limits of its operation; `issues` say where and why. No request was sent. */
export class InvalidInput extends Error {
  override readonly name = "InvalidInput";
  readonly issues: readonly Issue[];
  constructor(operation: string, issues: readonly Issue[]) {
    const messages = issues.map(({ path, message }) =>
      sentence({ flag: path.join(".") || "the input", message }),
    );
    super(`${operation}: ${messages.join("; ")}`);
    this.issues = issues;
  }
}

/** Loads the contract to check an input. @throws InvalidInput */
async function assertValid(id: OperationId, input: object): Promise<void> {
  const [{ check }, { operations }] = await Promise.all([
    import("../contract/check/check.ts"),
    import("../contract/index.ts"),
  ]);
  const operation: Operation = operations[id];
  const checked = check(operation, input);
  if (!checked.ok) throw new InvalidInput(id, checked.issues);
}

/**
 * The client's copy of its service's description, kept in memory. It is fetched when first needed, once for all calls that
 * need it at the same time; a call's signal ends only the wait of that call.
 */
function createDescriptionLookups(options: () => CallOptions): (signal?: AbortSignal) => DescriptionLookup {
  const texts = new Map<string, string>();
  const cache: DescriptionCache = {
    read: async (url) => texts.get(url),
    write: async (url, text) => {
      texts.set(url, text);
    },
  };
  let store: DescriptionStore | undefined;
  let expiresAt = 0;
  /** The current store. It is replaced from time to time: a store fetches only once, and a client may live long. */
  const current = (): DescriptionStore => {
    const now = Date.now();
    if (store === undefined || now >= expiresAt) {
      store = createDescriptions(async () => options(), cache);
      expiresAt = now + retryAfterMs;
    }
    return store;
  };
  return (signal) => {
    const waitFor = async (method: keyof DescriptionLookup) => {
      signal?.throwIfAborted();
      const found = current()[method]();
      return signal ? orAborted(found, signal) : found;
    };
    return { get: () => waitFor("get"), refresh: () => waitFor("refresh") };
  };
}
