import { types } from "node:util";
import type { Fetch, FetchInit } from "../client/fetch.ts";
import { connectionFailed } from "../client/transport/failures.ts";
import { asRecord } from "../core/json.ts";
import { isRead } from "../core/service-errors.ts";
import type { GivenFetch } from "./client-options.ts";

/**
 * Adapts a standard `fetch` for the client. Does not follow redirects, because that could send a write twice. A
 * network error becomes a `ConnectionFailed`, which says whether a part of the request may have been sent.
 */
export const clientFetch =
  (fetch: GivenFetch): Fetch =>
  async (url, init) => {
    const failed = (cause: unknown) => networkError(cause, new URL(url), init);
    try {
      const response = await fetch(url, { ...init, redirect: "manual" });
      assertResponse(response);
      if (response.redirected && !isRead(init))
        throw new Error("the given fetch followed a redirect of a write");
      const { status, headers, body } = response;
      return { status, headers, body: body && bodyOf(body, failed) };
    } catch (cause) {
      throw failed(cause);
    }
  };

/** Throws if a given `fetch`, such as a faulty test double, returned no response. The request may have been sent. */
function assertResponse(response: unknown): void {
  const { status, headers } = asRecord(response);
  if (typeof status !== "number" || typeof asRecord(headers).get !== "function") {
    throw new TypeError("the given fetch did not return a Response");
  }
}

async function* bodyOf(
  body: AsyncIterable<Uint8Array>,
  failed: (cause: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    throw failed(cause);
  }
}

/**
 * Converts an error of `fetch` to a `ConnectionFailed`. A network error is a `TypeError`; Node.js puts the reason into
 * its cause. Other implementations reject with other errors, even after they have sent the request, so for a write,
 * every error is converted. For a read, all errors except a `TypeError` are returned unchanged. If the caller aborted
 * the request, the error is also returned unchanged, because the caller knows the reason.
 */
function networkError(error: unknown, url: URL, { method, signal }: FetchInit): unknown {
  if (signal?.aborted || (isRead({ method }) && asRecord(error).name !== "TypeError")) return error;
  const cause: NodeJS.ErrnoException = causeOf(error);
  const wasConnected = cause.syscall === "read" || cause.syscall === "write";
  return connectionFailed(cause, url.host, wasConnected || !neverSent.has(cause.code ?? ""));
}

function causeOf(error: unknown): Error {
  if (!isError(error)) return new Error(String(error));
  return isError(error.cause) ? error.cause : error;
}

/** In Jest, errors of Node.js are not instances of `Error`. The errors of some packages are no native errors. */
const isError = (error: unknown): error is Error => error instanceof Error || types.isNativeError(error);

/**
 * Codes of errors from before the connection was established. A network that fails later can cause the same codes, but
 * then the system call `read` or `write` reports them.
 */
const neverSent: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);
