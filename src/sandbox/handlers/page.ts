import type { ServedInputOf } from "../../contract/assumed/served.ts";
import { required } from "../refusal.ts";
import { numberOf } from "../tables/ids.ts";

/** A page of things in the order of their ids. The cursor is the id of the last one of the page before. */
export function pageOf<Item extends { readonly id: number }>(
  all: readonly Item[],
  { limit, cursor }: ServedInputOf<"listUsage">,
): { readonly items: readonly Item[]; readonly nextCursor: string | null } {
  const after = cursor === undefined ? 0 : required(numberOf(cursor), "cursor", "is none that was given out");
  const left = all.filter(({ id }) => id > after);
  const items = left.slice(0, limit);
  const last = left.length > limit ? items.at(-1) : undefined;
  return { items, nextCursor: last ? String(last.id) : null };
}
