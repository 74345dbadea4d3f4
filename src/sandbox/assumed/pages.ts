import * as z from "zod";
import { lookupErrors } from "../../contract/errors.ts";
import { nothing } from "../../contract/shared.ts";
import { required } from "../errors.ts";
import type { Slice } from "../store/queries.ts";
import { numberOf } from "../tables/numbers.ts";

/** What the assumed GET operations without input have in common. */
export const fieldlessRead = { method: "GET", in: "none", input: nothing, errors: lookupErrors } as const;

/** The fields with which a caller requests a page. The service documents no page parameters. */
export const pageInput = {
  limit: z.int().min(1).max(100).default(20).describe("Maximum number of records"),
  cursor: z.string().min(1).optional().describe("nextCursor of the previous page"),
};

/** The schema of a page of records; `name` is the id of the schema. */
export const pageSchema = <Item extends z.ZodType>(item: Item, name: string, records: string) =>
  z
    .object({ items: z.array(item), nextCursor: z.string().nullable() })
    .meta({ id: name, description: `A page of ${records}; nextCursor is null on the last one` });

/** Returns one page of items, which are sorted by id. The cursor is the id of the last item of the previous page. */
export function pageOf<Item extends { readonly id: number }>(
  read: (slice: Slice) => readonly Item[],
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): { readonly items: readonly Item[]; readonly nextCursor: string | null } {
  const after =
    cursor === undefined
      ? 0
      : required(numberOf(cursor), "cursor", "must be the nextCursor of a previous page");
  const found = read({ after, limit: limit + 1 });
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, nextCursor: last ? String(last.id) : null };
}
