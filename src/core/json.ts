import { exactText, parseExactly } from "./values/exact-numbers.ts";

/** Parses JSON; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

/** Copies an object without the fields that are undefined. */
export const withoutUndefined = (record: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));

/** Whether a value is an object with named fields: not null, not an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it has the right type, or else an empty object, list or string. */
export const asRecord = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const asText = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * A string, a number or a boolean as text; empty for anything else. `String` would throw for an object whose `toString`
 * is not a function, and for deeply nested lists. A service may send either.
 */
export const scalarText = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";

/** Whether lists and objects are nested more than `levels` deep. */
export const isNestedBeyond = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isNestedBeyond(inner, levels - 1)));

function own(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return /^\d+$/.test(key) ? value[Number(key)] : undefined;
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/**
 * The value at a dotted path such as `providerData.sshNetworking.0.host`, or undefined. A key that itself contains dots
 * takes precedence over nested keys. Ignores inherited keys. Never throws.
 */
export function valueAt(record: unknown, path: string, read = own): unknown {
  const whole = read(record, path);
  if (whole !== undefined) return whole;
  for (let dot = path.lastIndexOf("."); dot > 0; dot = path.lastIndexOf(".", dot - 1)) {
    const value = valueAt(own(record, path.slice(0, dot)), path.slice(dot + 1), read);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Tries the paths in order, and returns the first value that is neither missing nor null. */
export function firstAt(record: unknown, paths: readonly string[], read = own): unknown {
  for (const path of paths) {
    const value = valueAt(record, path, read) ?? undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}

/**
 * Like `firstAt`, for values to print or to send back. Returns a number that JavaScript would change, such as `1.50`,
 * as the text that was received.
 */
export const shownAt = (record: unknown, paths: readonly string[]): unknown =>
  firstAt(record, paths, ownShown);

const ownShown: typeof own = (value, key) => exactText(value, key) ?? own(value, key);

/** JSON with the keys of every object sorted, so that equal values have equal text. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    isRecord(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );

/** The list in a page of results, under one of the names that services use. */
export const listIn = (page: Readonly<Record<string, unknown>>): readonly unknown[] | undefined =>
  ["items", "data", "rentals", "results"].map((name) => page[name]).find(Array.isArray);

/**
 * The records of a page: the page itself if it is an array, or else the list under a known name, or else its only list.
 */
export function recordsOf(page: unknown): readonly unknown[] | undefined {
  if (Array.isArray(page)) return page;
  if (!isRecord(page)) return undefined;
  const lists = Object.values(page).filter(Array.isArray);
  return listIn(page) ?? (lists.length === 1 ? lists[0] : undefined);
}
