import { isObject } from "./document.ts";

/** The query parameters by which another page is asked for. */
export interface Paging {
  readonly cursor?: string | undefined;
  readonly page?: string | undefined;
  readonly offset?: string | undefined;
}

/** What follows a page: the query that asks for the next one, nothing more, or something that cannot be asked for. */
export type Next = { readonly query: readonly (readonly [string, string])[] } | "end" | "unknown";

const cursorParameter =
  /^(cursor|next_?cursor|page_?token|next_?page_?token|next_?token|continuation_?token|starting_?after|after)$/i;
const pageParameter = /^(page|page_?(number|no|index))$/i;
const offsetParameter = /^(offset|skip)$/i;

/** Recognises the parameters that turn pages by their names. */
export const pagingOf = (names: readonly string[]): Paging => ({
  cursor: names.find((name) => cursorParameter.test(name)),
  page: names.find((name) => pageParameter.test(name)),
  offset: names.find((name) => offsetParameter.test(name)),
});

/** Names of a token, and the parameter that takes it where no description says. */
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
const moreFlags = ["hasMore", "has_more", "hasNextPage", "has_next_page"];
const pageTotals = ["totalPages", "total_pages", "pageCount", "page_count"];
const recordTotals = ["total", "totalCount", "total_count"];

/** Whether `nextPage` can go on from an answer that has members of these names. */
export function canTurn(names: readonly string[], paging: Paging): boolean {
  const says = (some: readonly string[]) => names.some((name) => some.includes(name));
  const token = names.some((name) => name in tokens && (name !== "cursor" || says(moreFlags)));
  return (
    (paging.cursor !== undefined && token) ||
    (paging.page !== undefined && (says(pageTotals) || says(moreFlags))) ||
    (paging.offset !== undefined && (says(recordTotals) || says(moreFlags)))
  );
}

/** What comes after a page of so many records, asked for with `query`. */
export function nextPage(
  answer: unknown,
  records: number,
  query: readonly (readonly [string, string])[],
  paging: Paging,
): Next {
  const said = (name: string) =>
    placesIn(answer)
      .map((place) => place[name])
      .find((value) => value !== undefined);
  const asked = (name: string) => Number(query.find(([known]) => known === name)?.[1]);
  const more = moreFlags.map(said).find((value) => typeof value === "boolean");
  if (more === false) return "end";

  const token = Object.entries(tokens).find(([name]) => isToken(said(name)) && (name !== "cursor" || more));
  if (token) {
    const [name, usual] = token;
    return { query: [[paging.cursor ?? usual, String(said(name))]] };
  }
  if (Object.keys(tokens).some((name) => name !== "cursor" && said(name) !== undefined)) return "end";

  const total = pageTotals.map(said).find((value) => typeof value === "number");
  const page = [said("page"), asked(paging.page ?? "page"), 1].find(isCount);
  if (isCount(total) && page !== undefined) {
    return page >= total ? "end" : { query: [[paging.page ?? "page", String(page + 1)]] };
  }
  if (more && paging.page && page !== undefined) return { query: [[paging.page, String(page + 1)]] };

  const all = recordTotals.map(said).find(isCount);
  const seen = (paging.offset ? asked(paging.offset) || 0 : 0) + records;
  if (all !== undefined && seen >= all) return "end";
  if (paging.offset && records > 0 && (more || all !== undefined)) {
    return { query: [[paging.offset, String(seen)]] };
  }
  return "unknown";
}

/** The answer itself, and what in it is about the page. */
const placesIn = (answer: unknown): readonly Readonly<Record<string, unknown>>[] =>
  isObject(answer)
    ? [
        answer,
        answer.pagination,
        answer.paging,
        answer.pageInfo,
        answer.page_info,
        answer.meta,
        answer.page,
      ].filter(isObject)
    : [];

const isToken = (value: unknown): boolean =>
  (typeof value === "string" && value !== "") || typeof value === "number";

const isCount = (value: unknown): value is number => typeof value === "number" && value >= 0;
