import { controlCommand } from "./control.ts";

export default controlCommand({
  path: "sandbox reset",
  summary: "Delete everything in the sandbox and start over",
  effect: "destroy",
  question: (sandbox) => `Delete every rental and volume in ${sandbox}, and undo every other change?`,
  view: { kind: "record", id: [] },
  examples: [
    { text: "Start over", command: "gpuctl sandbox reset --yes" },
    { text: "Start over without messages", command: "gpuctl sandbox reset --yes --quiet" },
  ],
  replaceState: async ({ setSandboxAside, say }) => {
    say(`The sandbox's state could not be used. It was moved to ${await setSandboxAside()}.`);
  },
  act: async (control, { say }) => {
    await control.reset();
    say("The sandbox was reset.");
    return control.status();
  },
  dryRun: (control) => control.status(),
});
