import { controlCommand } from "../../control.ts";

export default controlCommand({
  path: "sandbox chat script clear",
  summary: "Remove the chat script",
  view: { kind: "record", id: [] },
  examples: [
    { text: "Let the chat echo again", command: "gpuctl sandbox chat script clear" },
    {
      text: "Remove the script, and print the number of removed replies as JSON",
      command: "gpuctl sandbox chat script clear -o json",
    },
  ],
  act: async ({ chatScript }) => ({ cleared: await chatScript.clear() }),
  dryRun: async ({ chatScript }) => ({ wouldClear: (await chatScript.show()).length }),
});
