import { type FlagValues, flag } from "../../../command-kit/flag.ts";
import { kebab } from "../../../command-kit/tree.ts";
import { UsageError } from "../../../core/errors.ts";
import { withoutUndefined } from "../../../core/json.ts";
import { bootOutcomes } from "../../../core/sandbox.ts";
import { bootColumns, controlCommand } from "../control.ts";

const flags = {
  outcome: flag.choice(
    "slow: takes longer to boot; failed: gets the status Failed; never: stays booting",
    bootOutcomes,
  ),
  after: flag.duration("Time until the rental runs or has failed", {
    defaultText: "10m for slow, and the normal boot time for failed",
  }),
  label: flag.text("Only rentals created with a matching label: * is any text, ? any character", {
    value: "GLOB",
  }),
  times: flag.number("Number of rentals that the rule applies to", { defaultText: "no limit" }),
};

export default controlCommand({
  path: "sandbox boot add",
  summary: "Make new rentals boot slowly, fail to boot, or never boot",
  details:
    "When a rental is created, the oldest matching rule applies. A rental that failed or never boots stays active, and costs nothing, until it is terminated.",
  flags,
  view: { kind: "record", columns: bootColumns, id: ["id"] },
  examples: [
    {
      text: "Make the next rental fail to boot",
      command: "gpuctl sandbox boot add --outcome failed --times 1",
    },
    {
      text: "Make rentals labeled train-* take an hour to boot",
      command: "gpuctl sandbox boot add --outcome slow --after 1h --label 'train-*'",
    },
  ],
  buildInput: ({ flags }) => bootOf(flags),
  act: ({ boots }, { input }) => boots.add(input),
  dryRun: (_control, { input }) => input,
  nameOf: ([field = ""]) => `--${field === "afterSeconds" ? "after" : kebab(String(field))}`,
});

function bootOf({ outcome, after, label, times }: FlagValues<typeof flags>): object {
  if (outcome === undefined) {
    throw new UsageError(`--outcome is required: one of ${bootOutcomes.join(", ")}`);
  }
  const given = { outcome, label, times, afterSeconds: after === undefined ? undefined : after / 1000 };
  return withoutUndefined(given);
}
