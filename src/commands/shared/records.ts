import { recordsOf as recordsOfPage } from "../../client/pages.ts";
import { isRecord } from "../../output/paths.ts";

/** Answers whose shape the service does not promise, taken apart with care. */
export { isRecord };

/** The records of a page: a bare array, or an object around one; none of anything else. */
export const recordsOf = (page: unknown): readonly unknown[] => recordsOfPage(page) ?? [];

/** A record's identifier as text. */
export function idOf(record: unknown): string | undefined {
  if (!isRecord(record)) return undefined;
  const id = record.id ?? record.rentalId;
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}
