import type { ResponseLimits } from "../contract/plain/response-limits.ts";
import { isRead, isRedirect, ResponseTooLarge } from "../core/service-errors.ts";
import { type Deadline, orAborted } from "./deadline.ts";
import type { WireRequest } from "./request.ts";

/**
 * The subset of the standard `fetch` that the client uses. The transport, the sandbox and test doubles implement this
 * subset. The global `fetch` would do, too, but on Node.js 20 it is slow to load and delays the exit of the process.
 */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

export interface FetchInit {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /**
   * Lets a write use a connection that was used before. If the connection is lost without a response, the outcome of
   * the write is unknown, even if the service had closed the connection before the write was sent.
   */
  readonly reusesConnection?: boolean;
  /** Called when the request has been sent and only the response is missing. Not every `fetch` supports this. */
  readonly onSent?: () => void;
}

export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null; entries(): Iterable<[string, string]> };
  readonly body: ResponseBody | null;
  /** The bytes that have arrived but have not been read from `body` yet. */
  readonly pending?: () => Uint8Array;
  /** Puts the strings that `divertingFetch` took out of the response back into bytes that were read from `body`. */
  readonly restored?: (bytes: Uint8Array) => Uint8Array;
}

export interface ResponseBody extends AsyncIterable<Uint8Array> {
  /**
   * Iterates over what `convert` returns for each part of the body. `convert` is called as soon as a part arrives, and
   * the part is valid only during the call. This is faster than iterating over the body, which copies each part.
   */
  readonly converted?: (convert: Convert) => AsyncIterable<Uint8Array>;
}

export type Convert = (part: Uint8Array) => readonly Uint8Array[];

/** One request and its response, for example for `--debug` and deprecation notices. It holds no credential. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  /** JSON, as it was sent. */
  readonly body: string | undefined;
  /** Undefined when there was no response. */
  readonly status: number | undefined;
  readonly milliseconds: number;
  readonly header: (name: string) => string | null;
  /** All headers of the response. */
  readonly headers: () => Iterable<readonly [string, string]>;
}

export type Observer = (exchange: Exchange) => void;

const maxRedirects = 5;

/**
 * Sends a request and resolves when the response headers arrive. A read follows up to `maxRedirects` redirects to the
 * same origin. Any other redirect is returned as the response, so that the key never reaches another host.
 */
export async function fetchResponse(
  fetch: Fetch,
  request: WireRequest,
  {
    deadline,
    limits,
    observe,
  }: { deadline: Deadline; limits: ResponseLimits; observe?: Observer | undefined },
): Promise<FetchResponse> {
  const { method, headers, body } = request;
  const { signal } = deadline;
  let url = request.url;
  for (let hops = 0; ; hops += 1) {
    const start = Date.now();
    const init = { method, headers, signal, ...(body !== undefined && { body }) };
    const report = (response?: FetchResponse) =>
      observe?.({
        method,
        url,
        body,
        status: response?.status,
        milliseconds: Math.max(0, Date.now() - start),
        header: (name) => response?.headers.get(name) ?? null,
        headers: () => response?.headers.entries() ?? [],
      });
    const response = await orAborted(fetch(url, init), signal).catch((cause) => {
      report();
      throw cause;
    });
    report(response);
    const next = sameOriginRedirect(response, url);
    if (next === undefined || !isRead(request) || hops === maxRedirects) return response;
    await readStart(response, deadline, limits.failure);
    url = next;
  }
}

function sameOriginRedirect({ status, headers }: FetchResponse, url: string): string | undefined {
  const location = headers.get("location");
  if (!isRedirect(status) || location === null || !URL.canParse(location, url)) return undefined;
  const next = new URL(location, url);
  return next.origin === new URL(url).origin ? next.href : undefined;
}

/** Reads a body as text. If the body has more than `maxBytes`, stops reading and throws `ResponseTooLarge`. */
export async function readText(
  response: Pick<FetchResponse, "body">,
  deadline: Deadline,
  maxBytes: number,
): Promise<string> {
  const { text, isComplete } = await readStart(response, deadline, maxBytes);
  if (!isComplete) throw new ResponseTooLarge(maxBytes);
  return text;
}

/** Reads up to `maxBytes` of a body as text. `isComplete` is false if the body has more. */
export const readStart = (
  { body }: Pick<FetchResponse, "body">,
  deadline: Deadline,
  maxBytes: number,
): Promise<{ readonly text: string; readonly isComplete: boolean }> =>
  orAborted(startOf(body, maxBytes), deadline.signal);

async function startOf(body: FetchResponse["body"], maxBytes: number) {
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  for await (const chunk of body ?? []) {
    const left = maxBytes - length;
    length += chunk.length;
    if (length > maxBytes) return { text: text + decoder.decode(chunk.subarray(0, left)), isComplete: false };
    text += decoder.decode(chunk, { stream: true });
  }
  return { text: text + decoder.decode(), isComplete: true };
}

/**
 * Returns the whole body, and its first character after whitespace and a byte order mark. Only an ASCII character is
 * decoded correctly.
 */
export async function firstCharacter(
  chunks: AsyncGenerator<Uint8Array>,
): Promise<{ readonly first: string | undefined; readonly body: AsyncGenerator<Uint8Array> }> {
  const head: Uint8Array[] = [];
  let first: number | undefined;
  while (first === undefined) {
    const next = await chunks.next();
    if (next.done) break;
    head.push(next.value);
    first = next.value.find((byte) => !ignoredBytes.has(byte));
  }
  return {
    first: first === undefined ? undefined : String.fromCharCode(first),
    body: startingWith(head, chunks),
  };
}

/** Whitespace and the UTF-8 byte order mark. */
const ignoredBytes: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

export async function* startingWith<Item>(
  head: readonly Item[],
  rest: AsyncGenerator<Item>,
): AsyncGenerator<Item> {
  try {
    yield* head;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/**
 * Yields the bytes of a response as they arrive. The deadline applies to each wait for bytes, not to the whole response
 * and not to the time that the consumer takes. A chunk for which `isProgress` returns false does not end a wait. Throws
 * the reason of the deadline's signal once the signal is aborted.
 */
export async function* withIdleTimeout(
  { body }: FetchResponse,
  deadline: Deadline,
  isProgress: (chunk: Uint8Array) => boolean = () => true,
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const chunks = body[Symbol.asyncIterator]();
  try {
    deadline.extend();
    for (;;) {
      const next = await orAborted(chunks.next(), deadline.signal);
      const progress = next.done === true || isProgress(next.value);
      if (progress) deadline.pause();
      if (next.done) return;
      yield next.value;
      if (progress) deadline.extend();
    }
  } finally {
    // Not awaited, because it never settles if the body is stalled.
    chunks.return?.().catch(() => {});
  }
}
