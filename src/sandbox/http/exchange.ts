import type { ErrorBody } from "../../contract/errors.ts";
import type { ServedId } from "../assumed/index.ts";

/**
 * A request as plain values. It is not the web's `Request`, because Node.js takes longer to load `Request` and
 * `Response` than the sandbox takes to respond.
 */
export interface PlainRequest {
  readonly method: string;
  readonly url: string;
  /** The address that the request came from; undefined if it came from the same process. */
  readonly peer?: string | undefined;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Returns the value of a header. The name must be in lower case. */
  header(name: string): string | undefined;
  /** The body, empty if there is none. @throws BodyTooLarge */
  text(): Promise<string>;
}

/** The largest body that the sandbox reads, in bytes. */
export const maxBodyBytes = 32 * 1024 * 1024;

/** The body of a request has more than `maxBodyBytes`. */
export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
}

/** What a client in the same process sends. */
export interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export function sentRequest(url: string, { method, headers, body = "", signal }: Sent): PlainRequest {
  const named = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    method,
    url,
    signal: signal ?? new AbortController().signal,
    header: (name) => named.get(name),
    text: async () => {
      if (Buffer.byteLength(body) > maxBodyBytes) throw new BodyTooLarge();
      return body;
    },
  };
}

interface ResponseOptions {
  /** 200 by default. */
  readonly status?: number;
  /** The names are in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response as plain values. */
export class PlainResponse {
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
  readonly status: number;
  /** The names are in lower case. */
  readonly headers: Record<string, string>;

  constructor(body: PlainResponse["body"], { status = 200, headers = {} }: ResponseOptions = {}) {
    this.body = body;
    this.status = status;
    this.headers = { ...headers };
  }

  static json(value: unknown, options?: ResponseOptions): PlainResponse {
    return PlainResponse.jsonText(JSON.stringify(value), options);
  }

  /** A response whose body is already JSON. */
  static jsonText(text: string, { headers, ...options }: ResponseOptions = {}): PlainResponse {
    return new PlainResponse(text, {
      ...options,
      headers: { "content-type": "application/json", ...headers },
    });
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** The bytes of the body as they arrive. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    const { body } = this;
    if (typeof body === "string") yield Buffer.from(body);
    else if (body instanceof Uint8Array) yield body;
    else if (body !== null) yield* chunksOf(body);
  }
}

/**
 * Yields the chunks of a body. Never releases the reader's lock: Node.js would then create an error for later reads,
 * which takes 10 ms.
 */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  let isComplete = false;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
    isComplete = true;
  } finally {
    if (!isComplete) await reader.cancel();
  }
}

/** A request that is being handled, and what is known about it. */
export class Exchange {
  readonly request: PlainRequest;
  /** The path, decoded. */
  readonly path: string;
  /** Headers to add to the response. */
  readonly headers: Record<string, string> = {};
  /** The time of the request, in milliseconds since 1970. */
  now = 0;
  /** The ID of the user who calls; empty when the operation requires no key. */
  userId = "";
  operation: ServedId | undefined;
  /** The name of the caller's key, once the key was checked. */
  keyName: string | undefined;
  /** The unchecked fields of the body, query or path, once they were read. */
  input: unknown;
  /** The id of the fault that was applied. */
  fault: number | undefined;
  /** The error of the response. */
  problem: ErrorBody | undefined;

  constructor(request: PlainRequest, path: string) {
    this.request = request;
    this.path = path;
  }
}
