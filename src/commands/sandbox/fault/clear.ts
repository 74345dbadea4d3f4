import { arg } from "../../../command-kit/arg.ts";
import { NotFound } from "../../../core/errors.ts";
import { controlCommand } from "../control.ts";

export default controlCommand({
  path: "sandbox fault clear",
  summary: "Remove a fault, or all of them",
  args: [arg.number("FAULT", "Fault number (default: all)")],
  view: { kind: "record", id: [] },
  examples: [
    { text: "Remove all faults", command: "gpuctl sandbox fault clear" },
    {
      text: "Remove one",
      command: "gpuctl sandbox fault clear 1",
      after: ["gpuctl sandbox fault add --operation getRental --garbage"],
    },
  ],
  act: async ({ faults }, { args: { fault } }) => {
    const cleared = await faults.clear(fault);
    if (fault !== undefined && cleared === 0) throw new NotFound(`fault ${fault} does not exist`);
    return { cleared };
  },
  dryRun: () => ({ cleared: 0 }),
  nameOf: () => "FAULT",
});
