import { isRecord } from "../../output/paths.ts";

/** Answers whose shape the service does not promise, taken apart with care. */
export { isRecord };

const wrappers = ["items", "data", "rentals", "results"];

/** The records of a page: a bare array, or an object around one. */
export function recordsOf(page: unknown): readonly unknown[] {
  if (Array.isArray(page)) return page;
  if (!isRecord(page)) return [];
  const inner = wrappers.map((name) => page[name]).find(Array.isArray);
  return inner ?? [];
}

/** A record's identifier as text. */
export function idOf(record: unknown): string | undefined {
  if (!isRecord(record)) return undefined;
  const id = record.id ?? record.rentalId;
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}
