import { arg } from "../../../command-kit/arg.ts";
import { defineCommand } from "../../../command-kit/define.ts";
import { nothingDone } from "../../../command-kit/results.ts";
import { exampleSession, sessionsOf } from "../session.ts";

export default defineCommand({
  path: "chat sessions remove",
  summary: "Remove sessions",
  effect: "destroy",
  args: [
    arg.texts("NAME", "One or more session names", {
      required: true,
      completes: "chat-session",
    }),
  ],
  view: {
    kind: "list",
    columns: [{ title: "REMOVED", paths: ["removed"], whole: true }],
    empty: "No sessions were removed.",
    id: ["removed"],
  },
  examples: [
    {
      text: "Check the name without removing anything",
      command: "gpuctl chat sessions remove models --dry-run",
      after: [exampleSession],
    },
    {
      text: "Remove a session",
      command: "gpuctl chat sessions remove models --yes",
      after: [exampleSession],
    },
  ],
  // Reports an unknown session before asking for confirmation.
  buildInput: async ({ args, ...context }) => {
    const sessions = sessionsOf(context);
    const known = await sessions.names();
    const names = [...new Set(args.name)];
    for (const name of names) if (!known.includes(name)) await sessions.read(name);
    return { names };
  },
  confirm: {
    destruction: ({ input: { names } }) =>
      names.length === 1
        ? `Remove the session "${names[0]}"?`
        : `Remove ${names.length} sessions: ${names.join(", ")}?`,
  },
  run: async ({ input: { names }, ...context }) => {
    if (context.settings.dryRun) {
      context.say(nothingDone);
      return { data: [] };
    }
    const sessions = sessionsOf(context);
    const removed: string[] = [];
    for (const name of names) {
      await sessions.remove(name);
      removed.push(name);
      context.setFailureContext(`Removed: ${removed.join(", ")}.`);
    }
    return { data: removed.map((name) => ({ removed: name })) };
  },
});
