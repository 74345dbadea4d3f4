import type { RentalType } from "../../client/rentals/type.ts";
import { defaultInterval } from "../../client/rentals/waiting.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { examplesAfter, sandboxExamples } from "../../command-kit/examples.ts";
import { flag } from "../../command-kit/flag.ts";
import { Incomplete, UsageError } from "../../core/errors.ts";
import { duration } from "../../core/values/durations.ts";
import { filterFlags, rentalFilter } from "./filter.ts";
import { type ActiveRental, bothTypes, kinds, listEach, rowOf } from "./listing.ts";
import { activeRentals, sortNames } from "./views.ts";

export default defineCommand({
  path: "rentals list",
  summary: "List the active rentals",
  details:
    "Lists virtual machines and bare-metal rentals with one request each. If one of the two fails, the other list is printed, and the command exits with the code of the failure.",
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
    // Flags are checked before anything is sent. Ages are measured by the service's clock, which its response shows.
    rentalFilter(flags, context.now());
    const sorted =
      sort === undefined
        ? undefined
        : (await import("./list/sort.ts")).sorter(sort, context.settings.columns ?? []);
    const filtered = label !== undefined || olderThan !== undefined;
    const read = async () => {
      const listings = await listEach(context, input, types);
      if (!filtered) return listings;
      const matches = rentalFilter(flags, context.serviceNow());
      return { ...listings, rentals: listings.rentals.filter(({ record }) => matches(record)) };
    };
    const arrange = (all: readonly ActiveRental[]) => {
      const inOrder = sorted?.(all) ?? all;
      return limit === undefined ? inOrder : inOrder.slice(0, limit);
    };
    if (flags.watch !== undefined) {
      return (await import("./list/watch.ts")).watchRentals(read, arrange, flags.watch, context);
    }
    const { rentals, listed, failures } = await read();
    const [failed] = failures;
    if (failed && listed.length === 0) throw failed[1];
    const names = failed ? listed.map((type) => kinds[type].plural).join(" or ") : "rentals";
    const shown = arrange(rentals);
    return {
      data: shown.map(({ record }) => record),
      /** Computed only for a format that shows rows. */
      get rows() {
        return shown.map(rowOf);
      },
      view: { ...activeRentals, empty: filtered ? `No active ${names} match.` : `No active ${names}.` },
      ...(failed && {
        failure: new Incomplete(
          `Only ${names} are listed; there may be active ${kinds[failed[0]].plural}.`,
          failed[1],
        ),
      }),
    };
  },
});
