import { arg } from "../../command-kit/arg.ts";
import { type ScenarioName, scenarios } from "../../core/sandbox.ts";
import { controlCommand } from "./control.ts";

/** The names of the scenarios, for arguments and flags. */
export const scenarioNames = Object.keys(scenarios).filter((name): name is ScenarioName => name in scenarios);

export default controlCommand({
  path: "sandbox scenario",
  summary: "Start a chaos test: sold out GPUs, failing calls, slow boots",
  details: `Replaces all situations, boot rules and faults. (\`gpuctl sandbox situation add --help\` lists the situations.) Rentals, volumes and the clock stay, and so does a balance that an earlier scenario set. ${Object.entries(
    scenarios,
  )
    .map(([name, text]) => `\`${name}\`: ${text}.`)
    .join(" ")}`,
  args: [arg.choice("NAME", "Scenario", scenarioNames, { required: true })],
  view: {
    kind: "list",
    columns: [
      { title: "ADDED", paths: ["control"] },
      { title: "ID", paths: ["id"] },
      { title: "EFFECT", paths: ["effect"] },
    ],
    empty: "No situations, boot rules or faults.",
    id: ["id"],
  },
  examples: [
    { text: "Sell out H100s in two regions", command: "gpuctl sandbox scenario capacity-crunch" },
    { text: "Remove the scenario", command: "gpuctl sandbox scenario none" },
  ],
  act: (control, { args: { name } }) => control.scenario(name),
  dryRun: (_control, { args: { name } }) =>
    name === "none" ? [] : [{ control: "scenario", id: name, effect: scenarios[name] }],
  nameOf: () => "NAME",
});
