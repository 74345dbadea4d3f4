import { arg } from "../../command-kit/arg.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { textResult } from "../../command-kit/results.ts";

export default defineCommand({
  path: "help",
  summary: "Show help for a command or topic",
  details: "Without a WORD, lists the commands and topics.",
  needsNoConfig: true,
  args: [arg.texts("WORD", "A topic, or the words of a command such as: rentals create vm")],
  uses: ["helpOn"],
  view: { kind: "lines", path: "text" },
  examples: [
    { text: "Show help for a command", command: "gpuctl help rentals create vm" },
    { text: "Show what the exit codes mean", command: "gpuctl help exit-codes" },
  ],
  run: async ({ args: { word }, helpOn, settings }) => {
    const text = await helpOn(word);
    return textResult(text, { text }, settings);
  },
});
