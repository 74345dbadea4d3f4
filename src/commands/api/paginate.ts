import { pages } from "../../client/pages.ts";
import { pagingOf } from "../../client/paging.ts";
import type { Context } from "../../context/context.ts";
import { UselessAnswer } from "../errors.ts";
import type { Request } from "./request-of.ts";

/** The records of every page of a listing, as one array. */
export async function allPages(
  { parts, operation }: Request,
  { request, say }: Pick<Context, "request" | "say">,
): Promise<readonly unknown[]> {
  const paging = pagingOf(operation?.parameters.map(({ name }) => name) ?? []);
  const paged = paging.cursor !== undefined || paging.page !== undefined || paging.offset !== undefined;
  const records: unknown[] = [];
  const send = async (query: NonNullable<typeof parts.query>) => {
    const answer = await request({ ...parts, query });
    try {
      return JSON.parse(answer.text());
    } catch {
      throw new UselessAnswer("a page is not JSON");
    }
  };
  for await (const page of pages(send, { paging, query: parts.query ?? [], paged, warn: say })) {
    for (const record of page) records.push(record);
  }
  return records;
}
