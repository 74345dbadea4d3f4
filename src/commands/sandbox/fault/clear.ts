import { arg } from "../../../command-kit/arg.ts";
import { clearNumbered, controlCommand, countNumbered } from "../control.ts";

export default controlCommand({
  path: "sandbox fault clear",
  summary: "Remove a fault, or all of them",
  args: [arg.number("FAULT", "Fault number (default: all)")],
  view: { kind: "record", id: [] },
  examples: [
    { text: "Remove all faults", command: "gpuctl sandbox fault clear" },
    {
      text: "Remove one fault",
      command: "gpuctl sandbox fault clear 1",
      after: ["gpuctl sandbox fault add --operation getRental --garbage"],
    },
  ],
  act: ({ faults }, { args: { fault } }) => clearNumbered(faults, "fault", fault),
  dryRun: ({ faults }, { args: { fault } }) => countNumbered(faults, "fault", fault),
  nameOf: () => "FAULT",
});
