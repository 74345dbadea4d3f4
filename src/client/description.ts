import { routes } from "../contract/generated/routes.ts";
import { attempt } from "./attempt.ts";
import type { CallOptions } from "./call-options.ts";
import { type Description, readDescription } from "./document.ts";
import { UnreadableAnswer } from "./errors.ts";
import { rawRequest, type Target, type WireRequest } from "./request.ts";
import { type Attempt, withRetries } from "./retry.ts";
import { inWhole, type WholeAnswer } from "./whole-answer.ts";

/** A description as text; nothing when the one that was known by its tag still holds. */
export interface Fetched {
  readonly text: string;
  readonly description: Description;
  readonly etag: string | null;
}

const { getOpenApiDocument: route } = routes;

/** The request for the description. It carries no key. */
export const descriptionRequest = (target: Target, etag?: string): WireRequest =>
  rawRequest({ ...route, ...(etag !== undefined && { headers: { "If-None-Match": etag } }) }, target);

/**
 * Asks for the description; with the tag of a known one the answer may be that it still holds. Throws what `call`
 * throws, `AnswerTooLarge`, and `UnreadableAnswer` for what is no description.
 */
export function fetchDescription(
  options: CallOptions,
  { etag, mostBytes }: { readonly etag?: string | undefined; readonly mostBytes?: number | undefined } = {},
): Promise<Fetched | "unchanged"> {
  const request = descriptionRequest(options.target, etag);
  const tries = () => attempt(request, route.host, inWhole(understand, mostBytes), options);
  const understand = (answer: WholeAnswer): Attempt<Fetched | "unchanged"> => {
    if (answer.status === 304) return { value: "unchanged" };
    const text = answer.text();
    const description = readDescription(text);
    if (description) return { value: { text, description, etag: answer.header("etag") } };
    const { method, url } = request;
    const error = new UnreadableAnswer("the answer is no OpenAPI 3 description", answer.status, {
      method,
      url,
    });
    return { error, again: false };
  };
  return withRetries(tries, options);
}
