import { type Deadline, orAborted } from "./deadline.ts";
import { type Fetch, type FetchAnswer, readText } from "./fetch.ts";
import { isRead, type WireRequest } from "./request.ts";

/** One request and its answer, as `--debug` and the deprecation notices see them. No credential in it. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  /** JSON, as it was sent. */
  readonly body: string | undefined;
  /** Nothing when no answer came. */
  readonly status: number | undefined;
  readonly milliseconds: number;
  readonly header: (name: string) => string | null;
}

export type Observer = (exchange: Exchange) => void;

const mostRedirects = 5;

/**
 * Sends a request and waits for the head of its answer. A read is led on by redirects to the same origin;
 * any other redirect comes back as the answer, so that the key never reaches another host.
 */
export async function sendHead(
  fetch: Fetch,
  request: WireRequest,
  limit: Deadline,
  observe?: Observer,
): Promise<FetchAnswer> {
  const { method, headers, body } = request;
  let url = request.url;
  for (let hops = 0; ; hops += 1) {
    const start = Date.now();
    const init = { method, headers, signal: limit.signal, ...(body !== undefined && { body }) };
    const tell = (answer?: FetchAnswer) =>
      observe?.({
        method,
        url,
        body,
        status: answer?.status,
        milliseconds: Math.max(0, Date.now() - start),
        header: (name) => answer?.headers.get(name) ?? null,
      });
    const answer = await orAborted(fetch(url, init), limit.signal).catch((cause) => {
      tell();
      throw cause;
    });
    tell(answer);
    const next = redirect(answer, url);
    if (next === undefined || !isRead(request) || hops === mostRedirects) return answer;
    await orAborted(readText(answer), limit.signal);
    url = next;
  }
}

function redirect(answer: FetchAnswer, url: string): string | undefined {
  const location = answer.headers.get("location");
  if (answer.status < 300 || answer.status > 399 || location === null || !URL.canParse(location, url)) {
    return undefined;
  }
  const next = new URL(location, url);
  return next.origin === new URL(url).origin ? next.href : undefined;
}
