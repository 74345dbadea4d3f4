import { defineCommand } from "../../command-kit/define.ts";
import { examplesAfter, sandboxExamples } from "../../command-kit/examples.ts";
import { flag } from "../../command-kit/flag.ts";
import { duration } from "../../core/durations.ts";
import { Incomplete, UsageError } from "../../core/errors.ts";
import { bothTypes, kinds, listEach, type RentalType, rowOf } from "./listing.ts";
import { activeRentals } from "./views.ts";
import { defaultInterval } from "./waiting.ts";

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
    const types: readonly RentalType[] =
      flags.type === undefined ? bothTypes : [flags.type === "vm" ? "virtual-machine" : flags.type];
    if (flags.type === "bare-metal" && input.includeClusterPools !== undefined) {
      throw new UsageError("--include-cluster-pools is for virtual machines: remove --type bare-metal");
    }
    const read = () => listEach(context, input, types);
    if (flags.watch !== undefined) {
      return (await import("./watch.ts")).watchRentals(read, flags.watch, context);
    }
    const { rentals, listed, failures } = await read();
    const [failed] = failures;
    if (failed && listed.length === 0) throw failed[1];
    const names = listed.map((type) => kinds[type].plural).join(" or ");
    return {
      data: rentals.map(({ record }) => record),
      rows: rentals.map(rowOf),
      ...(failed && {
        view: { ...activeRentals, empty: `No active ${names}.` },
        failure: new Incomplete(
          `Only ${names} are listed; there may be active ${kinds[failed[0]].plural}.`,
          failed[1],
        ),
      }),
    };
  },
});
