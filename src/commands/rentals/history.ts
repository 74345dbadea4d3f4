import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { recordsOf } from "../../core/json.ts";
import { upTo } from "./listing.ts";
import { pastRentals } from "./views.ts";

export default defineCommand({
  path: "rentals history",
  summary: "List the rentals that have ended",
  operation: "listRentalHistory",
  flags: {
    limit: flag.integer("Show at most N rentals, and do not read the rest of the list", { minimum: 1 }),
  },
  view: pastRentals,
  examples: [
    { text: "List past rentals", command: "gpuctl rentals history --sandbox" },
    { text: "Print the first ten as JSON", command: "gpuctl rentals history --limit 10 -o json --sandbox" },
  ],
  run: async ({ list, flags: { limit } }) => {
    const listed = await list("listRentalHistory", {});
    if (limit === undefined) return listed;
    if ("records" in listed) return { records: upTo(limit, listed.records) };
    return { data: recordsOf(listed.data)?.slice(0, limit) ?? listed.data };
  },
});
