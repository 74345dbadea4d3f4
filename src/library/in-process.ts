import { orAborted } from "../client/deadline.ts";
import type { Sandbox } from "../sandbox/index.ts";

/**
 * A `fetch` that a sandbox answers. A path alone is one under `url`; an aborted signal ends the waiting. A connection
 * that breaks is a `TypeError`, as with every `fetch`.
 */
export const answerIn =
  ({ fetch }: Pick<Sandbox, "fetch">, url: string) =>
  async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input instanceof Request ? input : new URL(input, url), init);
    request.signal.throwIfAborted();
    return orAborted(fetch(request).catch(broken), request.signal);
  };

function broken(error: unknown): never {
  const reset = error instanceof Error && "code" in error && error.code === "ECONNRESET";
  throw reset ? new TypeError("fetch failed", { cause: error }) : error;
}
