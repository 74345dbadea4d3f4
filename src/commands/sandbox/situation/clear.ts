import { arg } from "../../../command-kit/arg.ts";
import { clearNumbered, controlCommand, countNumbered } from "../control.ts";

export default controlCommand({
  path: "sandbox situation clear",
  summary: "Remove a situation, or all of them",
  details: "An interruption or failure that is already planned for a rental stays.",
  args: [arg.number("SITUATION", "Number of the situation (default: all)")],
  view: { kind: "record", id: [] },
  examples: [
    { text: "Remove all situations", command: "gpuctl sandbox situation clear" },
    {
      text: "Remove one situation",
      command: "gpuctl sandbox situation clear 1",
      after: ["gpuctl sandbox situation add capacity"],
    },
  ],
  act: ({ situations }, { args: { situation } }) => clearNumbered(situations, "situation", situation),
  dryRun: ({ situations }, { args: { situation } }) => countNumbered(situations, "situation", situation),
  nameOf: () => "SITUATION",
});
