import { defineCommand } from "../../../command-kit/define.ts";
import { flag } from "../../../command-kit/flag.ts";
import { textResult } from "../../../command-kit/results.ts";
import { stringifyExactly } from "../../../core/values/exact-numbers.ts";
import { markdown } from "../../../sessions/text.ts";
import { exampleSession, readSession, someSession } from "../session.ts";

export default defineCommand({
  path: "chat sessions export",
  summary: "Print a session as Markdown or JSON lines",
  args: [someSession],
  flags: {
    format: flag.choice("Format of the export", ["markdown", "jsonl"], { default: "markdown" }),
  },
  view: { kind: "record", id: ["name"] },
  examples: [
    {
      text: "Export a session as Markdown",
      command: "gpuctl chat sessions export models > models.md",
      after: [exampleSession],
    },
    {
      text: "Export a session as JSON lines, one per message",
      command: "gpuctl chat sessions export models --format jsonl > models.jsonl",
      after: [exampleSession],
    },
  ],
  run: async ({ args, flags: { format }, ...context }) => {
    const { name, turns } = await readSession(args.name, context);
    const pieces =
      format === "markdown" ? markdown(name, turns) : turns.map((turn) => `${stringifyExactly(turn)}\n`);
    const text = [...pieces].join("");
    return textResult(text, { name, format, text }, context.settings);
  },
});
