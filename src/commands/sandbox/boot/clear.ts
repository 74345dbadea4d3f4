import { arg } from "../../../command-kit/arg.ts";
import { NotFound } from "../../../core/errors.ts";
import { controlCommand } from "../control.ts";

export default controlCommand({
  path: "sandbox boot clear",
  summary: "Remove a boot rule, or all of them",
  details: "Existing rentals are not affected.",
  args: [arg.number("RULE", "Rule number (default: all)")],
  view: { kind: "record", id: [] },
  examples: [
    { text: "Let all new rentals boot as usual", command: "gpuctl sandbox boot clear" },
    {
      text: "Remove one",
      command: "gpuctl sandbox boot clear 1",
      after: ["gpuctl sandbox boot add --outcome never"],
    },
  ],
  act: async ({ boots }, { args: { rule } }) => {
    const cleared = await boots.clear(rule);
    if (rule !== undefined && cleared === 0) throw new NotFound(`boot rule ${rule} does not exist`);
    return { cleared };
  },
  dryRun: () => ({ cleared: 0 }),
  nameOf: () => "RULE",
});
