import { isObject } from "./document.ts";
import { nextPage, type Paging } from "./paging.ts";

type Query = readonly (readonly [string, string])[];

export interface Turning {
  readonly paging: Paging;
  /** The query of the first page. */
  readonly query: Query;
  /** The answer is known to be one page of several. */
  readonly paged: boolean;
  /** Told when there may be more than can be asked for. */
  readonly warn: (line: string) => void;
}

/** So many pages are turned at most. */
const mostPages = 100_000;

/** The records of every page, a page at a time. `send` asks for the page of a query and throws what a read throws. */
export async function* pages(
  send: (query: Query) => Promise<unknown>,
  { paging, query, paged, warn }: Turning,
): AsyncGenerator<readonly unknown[]> {
  const seen = new Set<string>();
  let asked = query;
  for (let turned = 0; turned < mostPages; turned += 1) {
    const answer = await send(asked);
    const records = recordsOf(answer);
    if (records === undefined) {
      warn("The answer holds no list that can be recognised, so there may be more than this.");
      return;
    }
    yield records;
    const next = nextPage(answer, records.length, asked, paging);
    if (next === "end") return;
    const query = next === "unknown" ? undefined : next.query.map((pair) => pair.join("=")).join("&");
    if (next === "unknown" || query === undefined || seen.has(query)) {
      if (paged || query !== undefined) {
        warn("There may be more than this: the answer does not say how its next page is asked for.");
      }
      return;
    }
    seen.add(query);
    asked = [...asked.filter(([name]) => !next.query.some(([other]) => other === name)), ...next.query];
  }
}

const wrappers = ["items", "data", "rentals", "results"];

/** The records of a page: a bare array, an object around one of a known name, or around just one. */
export function recordsOf(page: unknown): readonly unknown[] | undefined {
  if (Array.isArray(page)) return page;
  if (!isObject(page)) return undefined;
  const known = wrappers.map((name) => page[name]).find(Array.isArray);
  if (known) return known;
  const lists = Object.values(page).filter(Array.isArray);
  return lists.length === 1 ? lists[0] : undefined;
}
