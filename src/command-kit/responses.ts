import type { BufferedResponse } from "../client/response.ts";
import { NoDescription } from "../core/errors.ts";
import { isRecord, recordsOf as recordsOfPage } from "../core/json.ts";
import { labelOf, labelPaths } from "../core/responses/rental.ts";
import { assertSuccess, assertValues } from "../core/responses/success.ts";
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
 * Parses a response as JSON. If the request was a write, throws `UnknownOutcome` on any problem. If it was a read,
 * throws `InvalidResponse` for invalid JSON, and `ResponseTooLarge` for too many values.
 */
export function jsonOf(response: BufferedResponse): unknown {
  const { request, status } = response;
  try {
    const text = response.text();
    assertValues(text, response.maxValues);
    return parseExactly(text);
  } catch (error) {
    if (error instanceof ResponseTooLarge && isRead(request)) throw error;
    const empty = response.bytes.length === 0;
    const reason =
      error instanceof ResponseTooLarge
        ? error.message
        : empty
          ? `the service responded ${status} with an empty body`
          : "the response is not JSON";
    if (isRead(request)) throw new InvalidResponse(reason, status, request);
    // Only a response that was paid for has to be kept.
    const received = !empty && isInference(request) ? { bytes: response.bytes, complete: true } : undefined;
    throw new UnknownOutcome(reason, status, request, { received });
  }
}

/**
 * Returns the object in a response. Throws as `jsonOf` does. For a value that is not an object, throws
 * `InvalidResponse`, or `UnknownOutcome` if the request was a write. For an object that reports a failure, throws as
 * `assertSuccess` does.
 */
export function objectOf(response: BufferedResponse): Readonly<Record<string, unknown>> {
  const value = jsonOf(response);
  const { status, request } = response;
  assertSuccess(value, response);
  if (isRecord(value)) return value;
  const reason = "the response is not an object";
  throw isRead(request)
    ? new InvalidResponse(reason, status, request)
    : new UnknownOutcome(reason, status, request);
}

const isInference = ({ url }: BufferedResponse["request"]): boolean => new URL(url).pathname.includes("/v1/");

/**
 * Turns a failure to fetch the service's OpenAPI description into a `NoDescription`; returns any other error unchanged.
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
    `could not fetch the service's OpenAPI description (${error.message}), so it is not known whether ${unknown}`,
    hint,
    error,
  );
}

export { isRecord, labelOf, labelPaths };

/** The records of a page: an array, or the array in an object; empty for anything else. */
export const recordsOf = (page: unknown): readonly unknown[] => recordsOfPage(page) ?? [];

/** Possible paths of the hourly cost of a rental, in cents. */
export const hourlyCostPaths = ["currentTerm.costPerHourCents", "costPerHourCents", "costPerHour"];

/** Possible paths of the end of a rental's reserved term. */
export const termEndPaths = ["reservedUntil", "currentTerm.reservedUntil"];
