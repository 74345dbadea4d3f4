import type { RentalType } from "../../client/rentals/type.ts";
import { defaultInterval } from "../../client/rentals/waiting.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { examplesAfter, sandboxExamples } from "../../command-kit/examples.ts";
import { flag } from "../../command-kit/flag.ts";
import { UsageError } from "../../core/errors.ts";
import { duration } from "../../core/values/durations.ts";
import { filterFlags, rentalFilter } from "./filter.ts";
import { type ActiveRental, bothTypes, kinds, listArriving, listEach, rowOf, upTo } from "./listing.ts";
import { activeRentals, sortNames } from "./views.ts";

export default defineCommand({
  path: "rentals list",
  summary: "List the active rentals",
  details:
    "The list of virtual machines and the list of bare-metal rentals are two requests. If one of them fails, the other list is still printed, and the command exits with the code of the failure.",
  operation: "listVirtualMachineRentals",
  alsoCalls: ["listBareMetalRentals"],
  flags: {
    type: flag.choice("List only this type", ["vm", "bare-metal"], {
      value: "TYPE",
      defaultText: "both",
    }),
    ...filterFlags,
    sort: flag.text(`Sort by a column: ${sortNames.join(", ")}, or a name in --columns`, {
      value: "COLUMN[:desc]",
    }),
    limit: flag.integer("Show at most N, after sorting", { minimum: 1 }),
    watch: flag.duration("Refresh until Ctrl-C and mark changes", {
      value: "INTERVAL",
      optionalValue: duration(defaultInterval),
    }),
  },
  view: activeRentals,
  examples: examplesAfter(sandboxExamples.rental, [
    { text: "List all active rentals", command: "gpuctl rentals list --sandbox" },
    {
      text: "Print only the IDs of the virtual machines",
      command: "gpuctl rentals list --type vm -o id --sandbox",
    },
    {
      text: "List the most expensive rentals that are older than a day",
      command: "gpuctl rentals list --older-than 1d --sort costPerHourCents:desc --limit 5 --sandbox",
    },
  ]),
  run: async ({ input, flags, ...context }) => {
    const types: readonly RentalType[] =
      flags.type === undefined ? bothTypes : [flags.type === "vm" ? "virtual-machine" : flags.type];
    if (flags.type === "bare-metal" && input.includeClusterPools !== undefined) {
      throw new UsageError("--include-cluster-pools is for virtual machines: remove --type bare-metal");
    }
    const { label, olderThan, sort, limit } = flags;
    // Checks the flags before anything is sent. Ages are compared later, when a response has shown the service's clock.
    rentalFilter(flags, context.now());
    const sorted =
      sort === undefined
        ? undefined
        : (await import("./list/sort.ts")).sorter(sort, context.settings.columns ?? []);
    const filtered = label !== undefined || olderThan !== undefined;
    /** The rentals that match the flags, out of those that have just arrived. */
    const selected = (rentals: readonly ActiveRental[]) => {
      if (!filtered) return rentals;
      const matches = rentalFilter(flags, context.serviceNow());
      return rentals.filter(({ record }) => matches(record));
    };
    if (flags.watch !== undefined) {
      const read = async () => {
        const listings = await listEach(context, input, types);
        return { ...listings, rentals: selected(listings.rentals) };
      };
      const arrange = (all: readonly ActiveRental[]) => {
        const inOrder = sorted?.(all) ?? all;
        return limit === undefined ? inOrder : inOrder.slice(0, limit);
      };
      return (await import("./list/watch.ts")).watchRentals(read, arrange, flags.watch, context);
    }
    const { rentals, listed, failures, incomplete } = await listArriving(context, input, types);
    const [failed] = failures;
    if (failed && listed.length === 0) throw failed[1];
    const matching = mapped(rentals, selected);
    const shown =
      sorted !== undefined
        ? inOrder(matching, sorted, limit)
        : limit === undefined
          ? matching
          : upTo(limit, matching);
    const names = failed ? listed.map((type) => kinds[type].plural).join(" or ") : "rentals";
    return {
      records: mapped(shown, (some) => some.map(({ record }) => record)),
      rows: mapped(shown, (some) => some.map(rowOf)),
      view: { ...activeRentals, empty: filtered ? `No active ${names} match.` : `No active ${names}.` },
      failureAtEnd: incomplete,
    };
  },
});

type Batches<Item> = AsyncIterable<readonly Item[]>;

async function* mapped<Item, Result>(
  batches: Batches<Item>,
  change: (items: readonly Item[]) => readonly Result[],
): AsyncGenerator<readonly Result[]> {
  for await (const items of batches) yield change(items);
}

/** How many rentals beyond the limit may be in memory before they are dropped. */
const maxDropped = 10_000;

/** Sorts rentals. Keeps all of them in memory or, with a limit, only those that may be within the limit. */
async function* inOrder(
  batches: Batches<ActiveRental>,
  sorted: (rentals: readonly ActiveRental[]) => readonly ActiveRental[],
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly ActiveRental[]> {
  let kept: ActiveRental[] = [];
  for await (const rentals of batches) {
    for (const rental of rentals) kept.push(rental);
    if (kept.length > limit + maxDropped) kept = sorted(kept).slice(0, limit);
  }
  yield sorted(kept).slice(0, limit);
}
