import { routes } from "../contract/generated/routes.ts";
import { InvalidResponse } from "../core/service-errors.ts";
import {
  createDescriptionStore,
  type DescriptionCache,
  type DescriptionSource,
  type DescriptionStore,
  retryAfterMs,
} from "../openapi/description-store.ts";
import { readDescription } from "../openapi/document.ts";
import { sendRequest } from "./attempt.ts";
import { wireRequest } from "./request.ts";
import { readBuffered } from "./response.ts";
import type { CallOptions } from "./send.ts";

// Exported again for folders of `src` that may import types from `client`, but not from `openapi`.
export type { DescriptionCache } from "../openapi/description-store.ts";
export type { Description } from "../openapi/document.ts";

const { getOpenApiDocument: route } = routes;

/**
 * Returns a function that returns the current description store of the service that the options target. A store keeps
 * what it has fetched, but a process may run long, so the store is replaced from time to time. By default, descriptions
 * are cached in memory.
 */
export function createCurrentDescriptions(
  options: () => Promise<CallOptions>,
  {
    cache = memoryCache(),
    now,
  }: { readonly cache?: DescriptionCache | undefined; readonly now: () => number },
): () => DescriptionStore {
  let store: DescriptionStore | undefined;
  let openedAt = 0;
  return () => {
    const age = now() - openedAt;
    // The age is negative if the clock was set back.
    if (store === undefined || age < 0 || age >= retryAfterMs) {
      store = createDescriptionStore(async () => sourceOf(await options()), cache);
      openedAt = now();
    }
    return store;
  };
}

function memoryCache(): DescriptionCache {
  const texts = new Map<string, string>();
  return {
    read: async (url) => texts.get(url),
    write: async (url, text) => {
      texts.set(url, text);
    },
  };
}

function sourceOf(options: CallOptions): DescriptionSource {
  const { target, now, signal, timeout } = options;
  const requestWith = (headers: Readonly<Record<string, string>>) =>
    wireRequest({ ...route, headers }, target);
  return {
    url: requestWith({}).url,
    now,
    signal,
    fetch: async ({ etag, maxBytes, timeout: maxTimeout = timeout.compute, retries = options.retries }) => {
      const request = requestWith(etag === undefined ? {} : { "If-None-Match": etag });
      const { status, header, text } = await sendRequest(request, readBuffered(maxBytes), {
        ...options,
        timeout: { ...timeout, compute: Math.min(maxTimeout, timeout.compute) },
        retries: Math.min(retries, options.retries),
      });
      if (status === 304) return "unchanged";
      const document = text();
      const description = readDescription(document);
      if (description) return { text: document, description, etag: header("etag") ?? undefined };
      throw new InvalidResponse("the response is not an OpenAPI 3 document", status, request);
    },
  };
}
