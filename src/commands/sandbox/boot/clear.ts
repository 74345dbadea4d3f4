import { arg } from "../../../command-kit/arg.ts";
import { clearNumbered, controlCommand, countNumbered } from "../control.ts";

export default controlCommand({
  path: "sandbox boot clear",
  summary: "Remove a boot rule, or all of them",
  details: "Existing rentals are not affected.",
  args: [arg.number("RULE", "Rule number (default: all)")],
  view: { kind: "record", id: [] },
  examples: [
    { text: "Remove all rules, so that new rentals boot as usual", command: "gpuctl sandbox boot clear" },
    {
      text: "Remove one rule",
      command: "gpuctl sandbox boot clear 1",
      after: ["gpuctl sandbox boot add --outcome never"],
    },
  ],
  act: ({ boots }, { args: { rule } }) => clearNumbered(boots, "boot rule", rule),
  dryRun: ({ boots }, { args: { rule } }) => countNumbered(boots, "boot rule", rule),
  nameOf: () => "RULE",
});
