import { defineCommand } from "../../command-kit/define.ts";
import { examplesAfter, sandboxExamples } from "../../command-kit/examples.ts";
import { flag } from "../../command-kit/flag.ts";
import { isRecord } from "../../command-kit/responses.ts";
import { duration } from "../../core/durations.ts";
import { UsageError } from "../../core/errors.ts";
import { listActive } from "./listing.ts";
import { activeRentals } from "./views.ts";
import { defaultInterval } from "./waiting.ts";

export default defineCommand({
  path: "rentals list",
  summary: "List the active rentals",
  operation: "listVirtualMachineRentals",
  alsoCalls: ["listBareMetalRentals"],
  flags: {
    type: flag.choice("List only this type", ["vm", "bare-metal"], {
      value: "TYPE",
      defaultText: "both",
    }),
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
  ]),
  run: async ({ input, flags, ...context }) => {
    const type = flags.type === "vm" ? "virtual-machine" : flags.type;
    if (type === "bare-metal" && input.includeClusterPools !== undefined) {
      throw new UsageError("--include-cluster-pools is for virtual machines: remove --type bare-metal");
    }
    const read = async () => {
      const listed = await listActive(context, input, type);
      return {
        data: listed.map(({ record }) => record),
        rows: listed.map(({ record, type: rentalType }) =>
          isRecord(record) ? { ...record, rentalType: record.rentalType ?? rentalType } : record,
        ),
      };
    };
    if (flags.watch === undefined) return read();
    return (await import("./watch.ts")).watchRentals(read, flags.watch, context);
  },
});
