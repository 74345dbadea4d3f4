import { arg } from "../../../command-kit/arg.ts";
import { NotFound } from "../../../core/errors.ts";
import { controlCommand } from "../control.ts";

export default controlCommand({
  path: "sandbox boot clear",
  summary: "Remove a boot outcome, or all of them",
  details: "Rentals that were created before keep theirs.",
  args: [arg.number("BOOT", "Number of the outcome (default: all)")],
  view: { kind: "record", id: [] },
  examples: [
    { text: "Let all new rentals boot as usual", command: "gpuctl sandbox boot clear" },
    {
      text: "Remove one",
      command: "gpuctl sandbox boot clear 1",
      after: ["gpuctl sandbox boot add --outcome never"],
    },
  ],
  act: async ({ boots }, { args: { boot } }) => {
    const cleared = await boots.clear(boot);
    if (boot !== undefined && cleared === 0) throw new NotFound(`boot outcome ${boot} does not exist`);
    return { cleared };
  },
  dryRun: () => ({ cleared: 0 }),
  nameOf: () => "BOOT",
});
