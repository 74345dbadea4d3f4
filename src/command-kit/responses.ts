import type { BufferedResponse } from "../client/response.ts";
import { NoDescription, UnexpectedResponse } from "../core/errors.ts";
import { firstAt, isRecord, recordsOf as recordsOfPage, shownAt } from "../core/json.ts";
import { assertValues } from "../core/responses/success.ts";
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
 * Parses a response as JSON. Throws `InvalidResponse` for invalid JSON, `ResponseTooLarge` for too many values, or `UnknownOutcome` when the request was a
 * write.
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
  return idText(shownAt(record, idPaths));
}

const idPaths = ["id", "rentalId"];

const idText = (id: unknown): string | undefined =>
  typeof id === "string" || typeof id === "number" ? String(id) : undefined;

/**
 * Throws `UnexpectedResponse` when the response to the lookup of a rental has only other ids. A record without an id, and
 * null, pass.
 */
export function assertIsRental(rentalId: string, record: unknown): void {
  const ids = idPaths.flatMap((path) => idText(shownAt(record, [path])) ?? []);
  if (ids.length === 0 || ids.some((id) => comparable(id) === comparable(rentalId))) return;
  throw new UnexpectedResponse(
    `the service was asked for rental ${rentalId} and responded with rental ${ids[0]}`,
    "Nothing was changed.",
  );
}

/** Ids that differ only in case or leading zeros are the same. */
const comparable = (id: string): string => id.toLowerCase().replace(/^0+(?=\d+$)/, "");

/** Possible paths of a label: services name it differently. */
export const labelPaths = ["label", "name", "meta.name"];

/** Possible paths of the hourly cost of a rental, in cents. */
export const hourlyCostPaths = ["currentTerm.costPerHourCents", "costPerHourCents", "costPerHour"];

/** A record's label; undefined if it has none, or one that is not text. */
export function labelOf(record: unknown): string | undefined {
  const label = firstAt(record, labelPaths);
  return typeof label === "string" && label !== "" ? label : undefined;
}
