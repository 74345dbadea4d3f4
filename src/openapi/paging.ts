import { asRecord, isRecord, recordsOf, scalarText } from "../core/json.ts";
import { exactText } from "../core/values/exact-numbers.ts";

type Query = readonly (readonly [string, string])[];

/** The query parameters that select a page. */
export interface Paging {
  readonly cursor?: string | undefined;
  readonly page?: string | undefined;
  readonly offset?: string | undefined;
  /**
   * Whether the description says that a page carries a token. A page without a token is then the last one, unless it
   * says that there are more records.
   */
  readonly hasToken?: boolean | undefined;
}

const cursorParameter =
  /^(cursor|next_?cursor|page_?token|next_?page_?token|next_?token|continuation_?token|starting_?after|after)$/i;
const pageParameter = /^(page|page_?(number|no|index))$/i;
const offsetParameter = /^(offset|skip)$/i;

/** Recognizes page parameters by name. */
export const pagingOf = (names: readonly string[]): Paging => ({
  cursor: names.find((name) => cursorParameter.test(name)),
  page: names.find((name) => pageParameter.test(name)),
  offset: names.find((name) => offsetParameter.test(name)),
});

interface FirstPage {
  readonly paging: Paging;
  /** The query of the first page. */
  readonly query: Query;
  /** Whether the operation is known to return its list in pages. */
  readonly paged: boolean;
  /** Called when there may be more pages that cannot be requested. */
  readonly warn: (line: string) => void;
}

const maxPages = 100_000;

interface DescribedListing {
  readonly parameters: readonly { readonly name: string }[];
  readonly query?: Query | undefined;
  readonly warn: (line: string) => void;
}

/** The records of all pages, as one list. */
export async function allRecords(
  send: (query: Query) => Promise<unknown>,
  listing: DescribedListing,
): Promise<readonly unknown[]> {
  const records: unknown[] = [];
  for await (const page of describedPages(send, listing)) {
    for (const record of page) records.push(record);
  }
  return records;
}

/** Like `pages`, but finds the page parameters among the parameters that the description lists. */
export function describedPages(
  send: (query: Query) => Promise<unknown>,
  { parameters, query = [], warn }: DescribedListing,
): AsyncGenerator<readonly unknown[]> {
  const paging = pagingOf(parameters.map(({ name }) => name));
  const paged = Object.values(paging).some((name) => name !== undefined);
  return pages(send, { paging, query, paged, warn });
}

/**
 * Yields the records of all pages, one page at a time. `send` requests the page that a query selects. Throws what
 * `send` throws.
 */
export async function* pages(
  send: (query: Query) => Promise<unknown>,
  { paging, query: firstQuery, paged, warn }: FirstPage,
): AsyncGenerator<readonly unknown[]> {
  const seen = new Set<string>();
  let current = firstQuery;
  let hadToken = false;
  let received = 0;
  for (let count = 0; count < maxPages; count += 1) {
    const response = await send(current);
    const records = recordsOf(response);
    if (records === undefined) {
      warn("The response contains no recognizable list; there may be more results.");
      return;
    }
    received += records.length;
    yield records;
    const next = nextPage(response, records.length, current, paging);
    if (next === "end") return;
    // Some services leave the token out of the last page.
    const isLast = next === undefined && (paging.hasToken || hadToken) && !saysMore(response, received);
    if (isLast) return;
    if (next === undefined || seen.has(String(next))) {
      if (paged || next) {
        warn("There may be more results: the response does not say how to request the next page.");
      } else warnIfPartial(response, warn);
      return;
    }
    hadToken = hasTokenIn(response);
    seen.add(String(next));
    current = [...current.filter(([name]) => !next.some(([other]) => other === name)), ...next];
  }
  warn(`Stopped after ${maxPages} pages; there may be more results.`);
}

/** Names of page tokens in a response, and the default query parameter of each. */
const tokens: Readonly<Record<string, string>> = {
  nextCursor: "cursor",
  next_cursor: "cursor",
  nextPageToken: "pageToken",
  next_page_token: "page_token",
  nextToken: "nextToken",
  next_token: "next_token",
  endCursor: "after",
  cursor: "cursor",
};
/** Whether a member with this name is a page token. `cursor` may also be the cursor of the current page. */
export const isTokenName = (name: string): boolean => name in tokens && name !== "cursor";

const hasTokenIn = (response: unknown): boolean =>
  pageInfo(response).some((object) =>
    Object.keys(object).some((name) => isTokenName(name) && isToken(object[name])),
  );

/** Whether a response says that there are more records than those received so far. */
const saysMore = (response: unknown, received: number): boolean =>
  pageInfo(response).some(
    (object) =>
      moreFlags.some((name) => object[name] === true) ||
      pageTotals.some((name) => isCount(object[name])) ||
      recordTotals.some((name) => Number(object[name]) > received),
  );

const moreFlags = ["hasMore", "has_more", "hasNextPage", "has_next_page"];
const pageTotals = ["totalPages", "total_pages", "pageCount", "page_count"];
const recordTotals = ["total", "totalCount", "total_count"];

/** Whether a response with these members can say how to continue with one of the parameters in `paging`. */
export function canPage(names: readonly string[], paging: Paging): boolean {
  const has = (some: readonly string[]) => names.some((name) => some.includes(name));
  const token = names.some((name) => name in tokens && (name !== "cursor" || has(moreFlags)));
  return (
    (paging.cursor !== undefined && token) ||
    (paging.page !== undefined && (has(pageTotals) || has(moreFlags))) ||
    (paging.offset !== undefined && (has(recordTotals) || has(moreFlags)))
  );
}

/**
 * Returns the query of the next page, "end" if there are no more pages, or undefined if the response does not say how
 * to continue. `query` and `records` are the query and the number of records of the current page.
 */
function nextPage(
  response: unknown,
  records: number,
  query: Query,
  paging: Paging,
): Query | "end" | undefined {
  const member = (name: string) =>
    pageInfo(response)
      .map((object) => object[name])
      .find((value) => value !== undefined);
  const requested = (name: string) => Number(query.find(([known]) => known === name)?.[1]);
  const more = moreFlags.map(member).find((value) => typeof value === "boolean");
  if (more === false) return "end";

  const token = Object.entries(tokens).find(([name]) => isToken(member(name)) && (name !== "cursor" || more));
  if (token) {
    const [name, defaultParameter] = token;
    // A number is sent as it was received, because JavaScript would round a large one.
    const holder = pageInfo(response).find((object) => object[name] !== undefined);
    return [[paging.cursor ?? defaultParameter, exactText(holder, name) ?? String(member(name))]];
  }
  const hasEmptyToken = Object.keys(tokens).some((name) => name !== "cursor" && member(name) !== undefined);
  if (hasEmptyToken && !more) return "end";

  const totalPages = pageTotals.map(member).find((value) => typeof value === "number");
  const page = [member("page"), requested(paging.page ?? "page"), 1].find(isCount);
  if (isCount(totalPages) && page !== undefined) {
    return page >= totalPages ? "end" : [[paging.page ?? "page", String(page + 1)]];
  }
  if (more && paging.page && page !== undefined) return [[paging.page, String(page + 1)]];

  const totalRecords = recordTotals.map(member).find(isCount);
  const received = (paging.offset ? requested(paging.offset) || 0 : 0) + records;
  if (totalRecords !== undefined && received >= totalRecords) return "end";
  if (paging.offset && records > 0 && (more || totalRecords !== undefined)) {
    return [[paging.offset, String(received)]];
  }
  return undefined;
}

/** Checks the response of an operation without pages. Warns if the response says that there are more records. */
export function warnIfPartial(response: unknown, warn: FirstPage["warn"]): void {
  const records = recordsOf(response)?.length ?? 0;
  const next = isRecord(response) ? nextPage(response, records, [], {}) : "end";
  if (next === "end") return;
  const infos = pageInfo(response);
  const hasMore = infos.some((info) => moreFlags.some((name) => info[name] === true));
  const isShort = infos.some((info) => recordTotals.some((name) => Number(scalarText(info[name])) > records));
  if (next || hasMore || isShort) warn("There may be more results: the response is one of several pages.");
}

/** The response and the objects in it that may hold paging details. */
function pageInfo(response: unknown): readonly Readonly<Record<string, unknown>>[] {
  const { pagination, paging, pageInfo, page_info, meta, page } = asRecord(response);
  return [response, pagination, paging, pageInfo, page_info, meta, page].filter(isRecord);
}

const isToken = (value: unknown): boolean =>
  (typeof value === "string" && value !== "") || typeof value === "number";

const isCount = (value: unknown): value is number => typeof value === "number" && value >= 0;
