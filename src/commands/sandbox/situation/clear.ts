import { arg } from "../../../command-kit/arg.ts";
import { NotFound } from "../../../core/errors.ts";
import { controlCommand } from "../control.ts";

export default controlCommand({
  path: "sandbox situation clear",
  summary: "Remove a situation, or all of them",
  details: "Interruptions and failures that are planned for existing rentals stay.",
  args: [arg.number("SITUATION", "Number of the situation (default: all)")],
  view: { kind: "record", id: [] },
  examples: [
    { text: "Remove all situations", command: "gpuctl sandbox situation clear" },
    {
      text: "Remove one",
      command: "gpuctl sandbox situation clear 1",
      after: ["gpuctl sandbox situation add capacity"],
    },
  ],
  act: async ({ situations }, { args: { situation } }) => {
    const cleared = await situations.clear(situation);
    if (situation !== undefined && cleared === 0) {
      throw new NotFound(`situation ${situation} does not exist`);
    }
    return { cleared };
  },
  dryRun: () => ({ cleared: 0 }),
  nameOf: () => "SITUATION",
});
