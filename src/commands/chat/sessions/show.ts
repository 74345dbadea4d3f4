import { defineCommand } from "../../../command-kit/define.ts";
import { numbered, transcript } from "../../../sessions/text.ts";
import { exampleSession, readSession, someSession } from "../session.ts";

export default defineCommand({
  path: "chat sessions show",
  summary: "Show the turns of a session",
  args: [someSession],
  view: {
    kind: "list",
    columns: [
      { title: "TURN", paths: ["turn"], format: "number" },
      { title: "AFTER", paths: ["after"], format: "number", priority: 2 },
      { title: "TIME", paths: ["time"], format: "time", priority: 1 },
      { title: "ROLE", paths: ["role"] },
      { title: "MODEL", paths: ["model"], priority: 1 },
      { title: "INCOMPLETE", paths: ["incomplete"], usual: "" },
      { title: "CONTENT", paths: ["content"] },
    ],
    empty: "The session has no turns.",
    id: ["id"],
  },
  examples: [
    { text: "Show a session", command: "gpuctl chat sessions show models", after: [exampleSession] },
    {
      text: "Print the turns as CSV",
      command: "gpuctl chat sessions show models -o csv",
      after: [exampleSession],
    },
  ],
  run: async ({ args, ...context }) => {
    const { turns } = await readSession(args.name, context);
    const { output, tableFromCli } = context.settings;
    return output === "table" && !tableFromCli ? { text: transcript(turns) } : { data: numbered(turns) };
  },
});
