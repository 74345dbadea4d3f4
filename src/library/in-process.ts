import { orAborted } from "../client/deadline.ts";
import type { Sandbox } from "../sandbox/index.ts";
import { shown } from "./options.ts";

/**
 * A `fetch` that a sandbox answers. A path alone is one under `url`; an aborted signal ends the waiting. A connection
 * that breaks is a `TypeError`, as with every `fetch`.
 */
export const answerIn =
  ({ fetch }: Pick<Sandbox, "fetch">, url: string) =>
  async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    if (
      typeof input !== "string" &&
      !(typeof input === "object" && input && ("href" in input || "url" in input))
    ) {
      throw new TypeError(`fetch takes a URL, a path or a Request, not ${shown(input)}`);
    }
    const request = new Request(input instanceof Request ? input : new URL(input, url), init);
    request.signal.throwIfAborted();
    return orAborted(fetch(request).catch(broken), request.signal);
  };

function broken(error: unknown): never {
  const reset = error instanceof Error && "code" in error && error.code === "ECONNRESET";
  throw reset ? new TypeError("fetch failed", { cause: error }) : error;
}
