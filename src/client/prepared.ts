import type { IncomingMessage } from "node:http";
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
import { timedOut } from "./deadline.ts";
import { responseError, transportError } from "./failure.ts";
import type { WireRequest } from "./request.ts";
import type { BufferedResponse } from "./response.ts";
import { begin, type Connections } from "./transport.ts";

interface PrepareOptions extends Pick<SendOptions, "limits" | "now" | "observe" | "signal" | "timeout"> {
  /** The connections that are shared by all writes to the URL. */
  readonly connections: Connections;
  /** Masks keys in responses. */
  readonly redact: Redactor["redact"];
}

/** Sends a body once, and returns its whole response. Throws as `rawCall` does. */
export type PreparedWrite = (body: string) => Promise<BufferedResponse>;

/**
 * Prepares a write that is sent many times with different bodies: its URL, key and headers are the same each time. It
 * behaves as `rawCall` does, and costs a fraction of the processor time.
 */
export function prepareWrite(request: WireRequest, options: PrepareOptions): PreparedWrite {
  /** Has gaps. It is not a `Set`, because V8 keeps what was removed from a set until the next full garbage collection. */
  const inFlight: (Exchange | undefined)[] = [];
  const gaps: number[] = [];
  const { signal } = options;
  signal?.addEventListener(
    "abort",
    () => {
      for (const exchange of inFlight) exchange?.abandon(signal.reason);
    },
    { once: true },
  );
  return async (body) => {
    signal?.throwIfAborted();
    const exchange = new Exchange(request, body, options);
    const place = gaps.pop() ?? inFlight.length;
    inFlight[place] = exchange;
    try {
      return await exchange.response;
    } finally {
      inFlight[place] = undefined;
      gaps.push(place);
    }
  };
}

/** One request and its response. */
class Exchange {
  readonly response: Promise<BufferedResponse>;
  readonly #request: WireRequest;
  readonly #body: string;
  readonly #options: PrepareOptions;
  readonly #start = Date.now();
  readonly #begun: ReturnType<typeof begin>;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  #incoming: IncomingMessage | undefined;
  #isSettled = false;
  #resolve!: (response: BufferedResponse) => void;
  #reject!: (cause: unknown) => void;

  constructor(request: WireRequest, body: string, options: PrepareOptions) {
    this.#request = request;
    this.#body = body;
    this.#options = options;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const timeout = options.timeout[request.host];
    this.#timer = setTimeout(() => this.abandon(timedOut(timeout)), timeout);
    const { method, headers } = request;
    this.#begun = begin(
      options.connections,
      { method, headers, body },
      { responded: (incoming) => this.#read(incoming), failed: (cause) => this.#break(cause) },
    );
  }

  /** Ends the request without waiting for its response. */
  abandon(reason: unknown): void {
    this.#break(this.#begun.abandon(reason));
  }

  get #status(): number | undefined {
    return this.#incoming?.statusCode;
  }

  get #isSuccess(): boolean {
    const status = this.#status ?? 0;
    return status >= 200 && status < 300;
  }

  #read(incoming: IncomingMessage): void {
    this.#incoming = incoming;
    this.#observe();
    const { body, failure } = this.#options.limits ?? responseLimits;
    const maxBytes = this.#isSuccess ? body[this.#request.effect] : failure;
    incoming.on("data", (chunk: Uint8Array) => {
      this.#length += chunk.length;
      if (this.#length <= maxBytes) this.#chunks.push(chunk);
      else if (this.#isSuccess) this.#fail(new ResponseTooLarge(maxBytes));
      else this.#refuse(false);
    });
    incoming.on("end", () => this.#end(incoming));
    incoming.on("error", (cause) => this.#break(cause));
  }

  /** Settles with a whole response. */
  #end(incoming: IncomingMessage): void {
    if (!this.#isSuccess) this.#refuse(true);
    else if (this.#settle())
      this.#resolve(new ReadResponse(this.#request, incoming, this.#bytes(), this.#options));
  }

  #observe(): void {
    const { method, url } = this.#request;
    this.#options.observe?.({
      method,
      url,
      body: this.#body,
      status: this.#status,
      milliseconds: Math.max(0, Date.now() - this.#start),
      header: (name) => this.#header(name),
      headers: () =>
        Object.keys(this.#incoming?.headers ?? {}).map((name) => [name, this.#header(name) ?? ""] as const),
    });
  }

  #header(name: string): string | null {
    return headerOf(this.#incoming, name, this.#options.redact);
  }

  #bytes(): Uint8Array {
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks);
    return redactedBytes(bytes, this.#options.redact);
  }

  /** Marks the exchange as ended. Returns false if it had ended before. */
  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    return true;
  }

  /** Rejects with the error for a failed response. */
  #refuse(isComplete: boolean): void {
    if (!this.#settle()) return;
    if (!isComplete) this.#begun.outgoing.destroy();
    const retryAfter = retryAfterMs(this.#header("retry-after"), this.#options.now());
    const [location, requestId] = [this.#header("location"), this.#header(requestIdHeader)];
    const [status, text] = [this.#status ?? 0, decoder.decode(this.#bytes())];
    const response = { status, text, isComplete, location, retryAfter, requestId };
    this.#reject(responseError(response, this.#request));
  }

  /** Handles an error of the connection. What arrived in the same packet may have been paid for, too. */
  #break(cause: unknown): void {
    const incoming = this.#incoming;
    // Each call of `read` emits `data`.
    while (!this.#isSettled && incoming?.read());
    if (incoming?.complete) this.#end(incoming);
    else this.#fail(cause);
  }

  /** Rejects with the error for a missing or incomplete response. */
  #fail(cause: unknown): void {
    if (!this.#settle()) return;
    this.#begun.outgoing.destroy();
    const status = this.#status;
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

  /** What arrived of the response to a paid request. */
  #received(): Received | undefined {
    if (!this.#isSuccess || !isPaid(this.#request) || this.#chunks.length === 0) return undefined;
    return { bytes: this.#bytes(), complete: false };
  }
}

const decoder = new TextDecoder();

/**
 * A response that was read to its end. It is a class, because V8 keeps an object with a getter of its own, and all that the
 * getter refers to, until the next full garbage collection.
 */
class ReadResponse implements BufferedResponse {
  readonly status: number;
  readonly request: RequestLine;
  readonly bytes: Uint8Array;
  readonly maxValues: number;
  readonly #incoming: IncomingMessage;
  readonly #redact: Redactor["redact"];

  constructor(
    { method, url }: WireRequest,
    incoming: IncomingMessage,
    bytes: Uint8Array,
    { limits = responseLimits, redact }: PrepareOptions,
  ) {
    this.status = incoming.statusCode ?? 0;
    this.request = { method, url };
    this.bytes = bytes;
    this.maxValues = limits.values;
    this.#incoming = incoming;
    this.#redact = redact;
  }

  header(name: string): string | null {
    return headerOf(this.#incoming, name, this.#redact);
  }

  get headers(): BufferedResponse["headers"] {
    return Object.entries(this.#incoming.headers).flatMap(([name, values]) =>
      [values ?? []].flat().map((value): [string, string] => [name, this.#redact(value)]),
    );
  }

  text(): string {
    return decoder.decode(this.bytes);
  }
}

function headerOf(
  incoming: IncomingMessage | undefined,
  name: string,
  redact: Redactor["redact"],
): string | null {
  const value = incoming?.headers[name.toLowerCase()];
  return value === undefined ? null : redact(String(value));
}
