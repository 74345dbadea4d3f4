import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { type CallOptions, call } from "../client/call.ts";
import { usualRetries, usualTimeout } from "../client/defaults.ts";
import type { Fetch } from "../client/fetch.ts";
import { type Piece, pieces } from "../client/pieces.ts";
import { stream } from "../client/stream.ts";
import type { InputOf, OperationId } from "../contract/index.ts";
import type { ClientOptions } from "./client-options.ts";
import type { StreamedId } from "./generated/types.ts";
import { version } from "./generated/version.ts";
import { assertValid } from "./invalid-input.ts";
import { createNegotiators } from "./negotiating.ts";
import { checkOptionsOf, type OptionRule, shown } from "./options.ts";

/** What a single call may say for itself. */
export interface RequestOptions {
  /** Ends the call. A read rejects with the signal's reason, a write that was sent with `InterruptedWrite`. */
  readonly signal?: AbortSignal | undefined;
}

/** Checked inputs in, answers out. */
export interface Sender {
  readonly send: (id: OperationId, input: object, options?: RequestOptions) => Promise<unknown>;
  readonly stream: (id: StreamedId, input: object, options?: RequestOptions) => AsyncGenerator<Piece>;
}

/** Signals of other makes will do, such as those of a browser in a test. */
const isSignal = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "aborted" in value && "addEventListener" in value;

const callRules: Readonly<Record<keyof RequestOptions, OptionRule>> = {
  signal: { right: "an AbortSignal", holds: isSignal },
};

/** The operations that stream. */
const streams: Readonly<Record<StreamedId, true>> = { createChatCompletion: true };

export function createSender(options: ClientOptions, fetch: Fetch): Sender {
  const { timeout, retries = usualRetries, validate = true } = options;
  const settings = ({ signal }: RequestOptions): CallOptions => ({
    fetch,
    target: {
      baseUrl: options.baseUrl,
      inferenceBaseUrl: options.inferenceBaseUrl,
      apiKey: options.apiKey,
      userAgent: options.userAgent ?? `gpuctl/${version}`,
      insecureHttp: options.insecureHttp ?? false,
    },
    timeout: timeout === undefined ? usualTimeout : { compute: timeout, inference: timeout },
    retries,
    random: Math.random,
    now: Date.now,
    sleep: (milliseconds) =>
      pause(milliseconds, undefined, signal && { signal }).catch(() => signal?.throwIfAborted()),
    ...(signal && { signal }),
  });
  const negotiatorFor = createNegotiators(() => settings({}));
  const prepare = async <Id extends OperationId>(id: Id, input: object): Promise<InputOf<Id>> => {
    if (validate) await assertValid(id, input);
    return input as InputOf<Id>;
  };
  return {
    send: async (id, input, given = {}) => {
      checkOptionsOf(id, given, callRules);
      const prepared = await prepare(id, input);
      return call(id, prepared, { ...settings(given), negotiator: negotiatorFor(given.signal), warn });
    },
    async *stream(id, input, given = {}) {
      if (!Object.hasOwn(streams, id)) {
        const known = Object.keys(streams).join(", ");
        throw new TypeError(`stream takes an operation that streams (${known}), not ${shown(id)}`);
      }
      checkOptionsOf("stream", given, callRules);
      const streamed = { ...(await prepare(id, input)), stream: true };
      given.signal?.throwIfAborted();
      yield* pieces(await stream(id, streamed, settings(given)));
    },
  };
}

/** A list that may lack something is no error, and its answer is an array, which has no room to say so. */
const warn = (line: string): void => process.emitWarning(line, "GpuctlWarning");
