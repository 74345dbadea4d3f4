import type { BufferedResponse } from "../client/response.ts";
import { NoDescription } from "../core/errors.ts";
import { isRecord, recordsOf as recordsOfPage, shownAt } from "../core/json.ts";
import {
  InvalidResponse,
  isRead,
  NetworkError,
  ResponseTooLarge,
  ServiceError,
  UnknownOutcome,
} from "../core/service-errors.ts";
import { parseExactly } from "../core/values/exact-numbers.ts";

/**
 * Parses a response as JSON. Throws `InvalidResponse` for invalid JSON, or `UnknownOutcome` when the request was a
 * write.
 */
export function jsonOf(response: BufferedResponse): unknown {
  const { request, status } = response;
  try {
    return parseExactly(response.text());
  } catch {
    const empty = response.bytes.length === 0;
    const reason = empty ? `the service responded ${status} with an empty body` : "the response is not JSON";
    if (isRead(request)) throw new InvalidResponse(reason, status, request);
    // Only what was paid for has to be kept.
    const received = !empty && isInference(request) ? { bytes: response.bytes, complete: true } : undefined;
    throw new UnknownOutcome(reason, status, request, { received });
  }
}

const isInference = ({ url }: BufferedResponse["request"]): boolean => new URL(url).pathname.includes("/v1/");

/**
 * Turns a failure to fetch the service's description into a `NoDescription`; returns any other error unchanged.
 * `unknown` completes the sentence "it is not known whether".
 */
export function noDescription(error: unknown, unknown: string, hint: string): unknown {
  const isFetchFailure =
    error instanceof ServiceError ||
    error instanceof NetworkError ||
    error instanceof InvalidResponse ||
    error instanceof ResponseTooLarge;
  if (!isFetchFailure) return error;
  return new NoDescription(
    `could not fetch the service's description (${error.message}), so it is not known whether ${unknown}`,
    hint,
    error,
  );
}

export { isRecord };

/** The records of a page: an array, or the array in an object; empty for anything else. */
export const recordsOf = (page: unknown): readonly unknown[] => recordsOfPage(page) ?? [];

/** A record's identifier as text. */
export function idOf(record: unknown): string | undefined {
  if (!isRecord(record)) return undefined;
  const id = shownAt(record, ["id", "rentalId"]);
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}

/** Possible paths of a label: services name it differently. */
export const labelPaths = ["label", "name", "meta.name"];
