import { arg } from "../../../command-kit/arg.ts";
import { defineCommand } from "../../../command-kit/define.ts";
import { UsageError } from "../../../core/errors.ts";
import { type Match, search } from "../../../sessions/text.ts";
import { exampleSession, readIfPossible, sessionsOf } from "../session.ts";

export default defineCommand({
  path: "chat sessions search",
  summary: "Search the messages of all sessions",
  details: "The search ignores case. With -o id, each session is printed once.",
  args: [arg.text("TEXT", "Text to search for", { required: true })],
  view: {
    kind: "list",
    columns: [
      { title: "SESSION", paths: ["session"], whole: true },
      { title: "TURN", paths: ["turn"], format: "number" },
      { title: "ROLE", paths: ["role"], priority: 1 },
      { title: "TIME", paths: ["time"], format: "time", priority: 2 },
      { title: "TEXT", paths: ["text"] },
    ],
    empty: "No message contains this text.",
    id: ["session"],
  },
  examples: [
    {
      text: "Find every message about a model",
      command: "gpuctl chat sessions search 70b",
      after: [exampleSession],
    },
    {
      text: "Print the names of the sessions",
      command: "gpuctl chat sessions search gpu -o id",
      after: [exampleSession],
    },
  ],
  run: async ({ args: { text }, ...context }) => {
    if (text === "") throw new UsageError("TEXT must not be empty");
    const found: Match[] = [];
    for (const name of await sessionsOf(context).names()) {
      const session = await readIfPossible(name, context);
      const hits = session ? search(name, session.turns, text) : [];
      found.push(...(context.settings.output === "id" ? hits.slice(0, 1) : hits));
    }
    return { data: found };
  },
});
