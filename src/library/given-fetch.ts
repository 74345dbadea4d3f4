import { brokenConnection } from "../client/connection-failure.ts";
import type { Fetch } from "../client/fetch.ts";
import type { GivenFetch } from "./client-options.ts";

/**
 * A `fetch` of the web's as the client needs it. It follows no redirects: that could send a write twice. What a `fetch`
 * calls a network error becomes a `ConnectionFailed`, which says whether a byte of the request may have left.
 */
export const clientFetch =
  (fetch: GivenFetch): Fetch =>
  async (url, init) => {
    const failed = (cause: unknown) => networkError(cause, new URL(url));
    try {
      const { status, headers, body } = await fetch(url, { ...init, redirect: "manual" });
      return { status, headers, body: body && whole(body, failed) };
    } catch (cause) {
      throw failed(cause);
    }
  };

async function* whole(
  body: AsyncIterable<Uint8Array>,
  failed: (cause: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    throw failed(cause);
  }
}

/** The standard's network error is a `TypeError`; Node puts what happened into its cause. */
function networkError(error: unknown, url: URL): unknown {
  if (!(error instanceof TypeError)) return error;
  const cause: NodeJS.ErrnoException = error.cause instanceof Error ? error.cause : error;
  return brokenConnection(cause, { url, proxy: undefined, sent: !neverSent.has(cause.code ?? "") });
}

/** What goes wrong before a connection is there. */
const neverSent: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);
