import { defaultInterval, inState, waitStates } from "../../client/rentals/waiting.ts";
import { rentalId } from "../../command-kit/arg.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { examplesAfter, sandboxExamples } from "../../command-kit/examples.ts";
import { flag } from "../../command-kit/flag.ts";
import { UsageError } from "../../core/errors.ts";
import { duration } from "../../core/values/durations.ts";
import { oneRental } from "./views.ts";
import { waitFor, waitTimeout } from "./waiting.ts";

export default defineCommand({
  path: "rentals wait",
  summary: "Wait until a rental is running or has ended",
  operation: "getRental",
  args: [rentalId],
  fieldsWithoutFlag: ["rentalId"],
  flags: {
    for: flag.choice(
      "State to wait for: running (has started), active (not yet terminated), terminated",
      waitStates,
      {
        value: "STATE",
        default: "running",
      },
    ),
    interval: flag.duration(
      "Maximum time between two checks; the time starts at 1s and doubles with each check",
      {
        default: duration(defaultInterval),
      },
    ),
    waitTimeout,
  },
  view: oneRental,
  examples: examplesAfter(sandboxExamples.rental, [
    {
      text: "Wait until a rental is running, and check every second",
      command: "gpuctl rentals wait 1001 --for running --interval 1s --sandbox",
    },
    {
      text: "Wait at most ten minutes",
      command: "gpuctl rentals wait 1001 --for active --wait-timeout 10m --sandbox",
    },
  ]),
  run: async ({ input, flags, ...context }) => {
    const { interval, waitTimeout: timeout } = flags;
    if (interval === 0) throw new UsageError("--interval must be greater than 0");
    return { data: await waitFor({ ...input, ...inState(flags.for), interval, timeout }, context) };
  },
});
