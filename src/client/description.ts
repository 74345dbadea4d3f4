import { routes } from "../contract/generated/routes.ts";
import { InvalidResponse } from "../core/service-errors.ts";
import {
  createDescriptionStore,
  type DescriptionCache,
  type DescriptionSource,
  type DescriptionStore,
  type FetchDescription,
} from "../openapi/description-store.ts";
import { readDescription } from "../openapi/document.ts";
import { sendRequest } from "./attempt.ts";
import { type Target, wireRequest } from "./request.ts";
import { readBuffered } from "./response.ts";
import type { CallOptions } from "./send.ts";

// For rooms that take types of the client, but none of `openapi`.
export type { DescriptionCache } from "../openapi/description-store.ts";
export type { Description } from "../openapi/document.ts";

const { getOpenApiDocument: route } = routes;

/** The description of the service that the options lead to. */
export const createDescriptions = (
  options: () => Promise<CallOptions>,
  cache: DescriptionCache | undefined,
): DescriptionStore => createDescriptionStore(async () => sourceOf(await options()), cache);

const sourceOf = (options: CallOptions): DescriptionSource => ({
  url: descriptionRequest(options.target).url,
  now: options.now,
  signal: options.signal,
  fetch: fetchWith(options),
});

/** It carries no key. */
const descriptionRequest = (target: Target, etag?: string) =>
  wireRequest({ ...route, ...(etag !== undefined && { headers: { "If-None-Match": etag } }) }, target);

/** Throws what `call` throws, `ResponseTooLarge`, and `InvalidResponse` for anything but a description. */
const fetchWith =
  (options: CallOptions): FetchDescription =>
  async ({ etag, maxBytes, timeout = Number.POSITIVE_INFINITY, retries = Number.POSITIVE_INFINITY }) => {
    const request = descriptionRequest(options.target, etag);
    const { compute, inference } = options.timeout;
    const response = await sendRequest(request, readBuffered(maxBytes), {
      ...options,
      timeout: { compute: Math.min(timeout, compute), inference },
      retries: Math.min(retries, options.retries),
    });
    if (response.status === 304) return "unchanged";
    const text = response.text();
    const description = readDescription(text);
    if (description) return { text, description, etag: response.header("etag") ?? undefined };
    throw new InvalidResponse("the response is not an OpenAPI 3 document", response.status, request);
  };
