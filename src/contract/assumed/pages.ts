import * as z from "zod";

/** How a page is asked for: the service says nothing of it. */
export const pageInput = {
  limit: z.int().min(1).max(100).default(20).describe("Most records of a page"),
  cursor: z.string().min(1).optional().describe("nextCursor of the page before"),
};

/** A page of records; `name` is that of the schema. */
export const pageOf = <Item extends z.ZodType>(item: Item, name: string, records: string) =>
  z
    .object({ items: z.array(item), nextCursor: z.string().nullable() })
    .meta({ id: name, description: `A page of ${records}; nextCursor is null on the last one` });
