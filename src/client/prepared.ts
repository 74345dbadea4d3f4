import { responseLimits } from "../contract/plain/response-limits.ts";
import { type Redactor, redactedBytes } from "../core/redact.ts";
import {
  ConnectionFailed,
  InterruptedWrite,
  type Received,
  type RequestLine,
  ResponseTooLarge,
} from "../core/service-errors.ts";
import { isPaid, requestIdHeader, retryAfterMs, type SendOptions } from "./attempt.ts";
import { startTimer, timedOut } from "./deadline.ts";
import { responseError, transportError } from "./failure.ts";
import type { WireRequest } from "./request.ts";
import type { BufferedResponse } from "./response.ts";
import type { Channel, Exchange, Receiver, ResponseHead } from "./transport/channel.ts";
import { pathOf } from "./transport/transport.ts";

interface PrepareOptions extends Pick<SendOptions, "limits" | "now" | "observe" | "signal" | "timeout"> {
  /** The connections that are shared by all writes to the URL. */
  readonly connections: Channel;
  /** Masks keys in responses. */
  readonly redact: Redactor["redact"];
}

interface CallOptions extends PrepareOptions {
  readonly body: string;
  readonly path: string;
}

/** Sends a request with this body once, and returns the whole response. Throws as `rawCall` does. */
export type PreparedWrite = (body: string) => Promise<BufferedResponse>;

/**
 * Prepares a write that is sent many times with different bodies: its URL and headers are the same each time. The
 * returned function sends it as `rawCall` does, but takes a fraction of the processor time. If the key has changed,
 * pass the request with the new key as `current`.
 */
export function prepareWrite(
  request: WireRequest,
  options: PrepareOptions,
): (body: string, current?: WireRequest) => ReturnType<PreparedWrite> {
  /**
   * The calls that have not ended. A call that ends leaves a gap, which a later call fills. This is not a `Set`,
   * because V8 keeps what was removed from a set until the next full garbage collection.
   */
  const inFlight: (Call | undefined)[] = [];
  const gaps: number[] = [];
  const { signal } = options;
  const path = pathOf(new URL(request.url));
  signal?.addEventListener(
    "abort",
    () => {
      for (const call of inFlight) call?.abort(signal.reason);
    },
    { once: true },
  );
  return async (body, current = request) => {
    signal?.throwIfAborted();
    const call = new Call(current, { ...options, body, path });
    const place = gaps.pop() ?? inFlight.length;
    inFlight[place] = call;
    try {
      return await call.response;
    } finally {
      inFlight[place] = undefined;
      gaps.push(place);
    }
  };
}

/** One request and its response. */
class Call implements Receiver {
  readonly response: Promise<BufferedResponse>;
  readonly #request: WireRequest;
  readonly #options: CallOptions;
  readonly #start = Date.now();
  readonly #exchange: Exchange;
  readonly #stopTimer: () => void;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  #head: ResponseHead | undefined;
  #isSettled = false;
  #resolve!: (response: BufferedResponse) => void;
  #reject!: (cause: unknown) => void;

  constructor(request: WireRequest, options: CallOptions) {
    this.#request = request;
    this.#options = options;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { method, headers } = request;
    const { body, path, connections } = options;
    this.#exchange = connections.begin({ method, path, headers, body }, this);
    const timeout = options.timeout[request.host];
    this.#stopTimer = startTimer(timeout, () => this.abort(timedOut(timeout)));
  }

  /** Ends the request without waiting for its response. */
  abort(reason: unknown): void {
    this.#exchange.abort(reason);
  }

  head(head: ResponseHead): void {
    this.#head = head;
    this.#observe();
  }

  data(part: Uint8Array): void {
    this.#length += part.length;
    const { body, failure } = this.#options.limits ?? responseLimits;
    const maxBytes = this.#isSuccess ? body[this.#request.effect] : failure;
    if (this.#length <= maxBytes) this.#chunks.push(Buffer.from(part));
    else if (this.#isSuccess) this.failed(new ResponseTooLarge(maxBytes));
    else this.#refuse(false);
  }

  end(): void {
    if (!this.#isSuccess) this.#refuse(true);
    else if (this.#head && this.#settle())
      this.#resolve(new ReadResponse(this.#request, this.#head, this.#bytes(), this.#options));
  }

  /** Rejects with the error for a missing or incomplete response. */
  failed(cause: unknown): void {
    if (!this.#settle()) return;
    this.#exchange.destroy();
    const status = this.#head?.status;
    if (status === undefined) this.#observe();
    const received = this.#received();
    const { signal } = this.#options;
    if (!signal?.aborted) {
      this.#reject(transportError(cause, { request: this.#request, status, received }));
      return;
    }
    const wasSent = !(cause instanceof ConnectionFailed) || cause.sent;
    this.#reject(wasSent ? new InterruptedWrite(this.#request, received) : signal.reason);
  }

  get #isSuccess(): boolean {
    const status = this.#head?.status ?? 0;
    return status >= 200 && status < 300;
  }

  #observe(): void {
    const { method, url } = this.#request;
    this.#options.observe?.({
      method,
      url,
      body: this.#options.body,
      status: this.#head?.status,
      milliseconds: Math.max(0, Date.now() - this.#start),
      header: (name) => this.#header(name),
      headers: () =>
        Object.keys(this.#head?.headers ?? {}).map((name) => [name, this.#header(name) ?? ""] as const),
    });
  }

  #header(name: string): string | null {
    return headerOf(this.#head, name, this.#options.redact);
  }

  #bytes(): Uint8Array {
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks);
    return redactedBytes(bytes, this.#options.redact);
  }

  /** Marks the call as ended. Returns false if it had ended before. */
  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#stopTimer();
    return true;
  }

  /** Rejects with the error for a failed response. */
  #refuse(isComplete: boolean): void {
    if (!this.#settle()) return;
    if (!isComplete) this.#exchange.destroy();
    const retryAfter = retryAfterMs(this.#header("retry-after"), this.#options.now());
    const [location, requestId] = [this.#header("location"), this.#header(requestIdHeader)];
    const [status, text] = [this.#head?.status ?? 0, decoder.decode(this.#bytes())];
    const response = { status, text, isComplete, location, retryAfter, requestId };
    this.#reject(responseError(response, this.#request));
  }

  /** What arrived of a successful response to a paid request; undefined if nothing did. */
  #received(): Received | undefined {
    if (!this.#isSuccess || !isPaid(this.#request) || this.#chunks.length === 0) return undefined;
    return { bytes: this.#bytes(), complete: false };
  }
}

const decoder = new TextDecoder();

/**
 * A response that was read to its end. This is a class, because V8 keeps an object literal with a getter, and
 * everything that the getter refers to, until the next full garbage collection.
 */
class ReadResponse implements BufferedResponse {
  readonly status: number;
  readonly request: RequestLine;
  readonly bytes: Uint8Array;
  readonly maxValues: number;
  readonly #head: ResponseHead;
  readonly redact: Redactor["redact"];

  constructor(
    { method, url }: WireRequest,
    head: ResponseHead,
    bytes: Uint8Array,
    { limits = responseLimits, redact }: PrepareOptions,
  ) {
    this.status = head.status;
    this.request = { method, url };
    this.bytes = bytes;
    this.maxValues = limits.values;
    this.#head = head;
    this.redact = redact;
  }

  header(name: string): string | null {
    return headerOf(this.#head, name, this.redact);
  }

  get headers(): BufferedResponse["headers"] {
    return Object.entries(this.#head.headers).flatMap(([name, values]) =>
      [values ?? []].flat().map((value): [string, string] => [name, this.redact(value)]),
    );
  }

  text(): string {
    return decoder.decode(this.bytes);
  }
}

function headerOf(head: ResponseHead | undefined, name: string, redact: Redactor["redact"]): string | null {
  const value = head?.headers[name.toLowerCase()];
  return value === undefined ? null : redact(String(value));
}
