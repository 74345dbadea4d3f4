import { defineCommand } from "../../../command-kit/define.ts";
import { Unavailable } from "../../../core/errors.ts";
import type { Sessions } from "../../../sessions/store.ts";
import { type Turn, textOf } from "../../../sessions/turn.ts";
import { exampleSession, sessionsOf } from "../session.ts";

export default defineCommand({
  path: "chat sessions list",
  summary: "List sessions, most recently used first",
  details: 'The session "last" holds the last question asked without --session.',
  view: {
    kind: "list",
    columns: [
      { title: "NAME", paths: ["name"], whole: true },
      { title: "TURNS", paths: ["turns"], format: "number" },
      { title: "LAST USED", paths: ["used"], format: "time" },
      { title: "MODEL", paths: ["model"], priority: 1 },
      { title: "FIRST MESSAGE", paths: ["firstMessage"], priority: 2 },
    ],
    empty: "No sessions. Start one with `gpuctl chat --session NAME`.",
    id: ["name"],
  },
  examples: [
    { text: "List the sessions", command: "gpuctl chat sessions list", after: [exampleSession] },
    {
      text: "Print only the names",
      command: "gpuctl chat sessions list -o id",
      after: [exampleSession],
    },
  ],
  run: async (context) => {
    const sessions = sessionsOf(context);
    const records: object[] = [];
    for (const name of await sessions.names()) {
      const { turns, problems } = await readIfPossible(name, sessions);
      for (const problem of problems) context.say(problem);
      records.push({ name, ...summaryOf(turns) });
    }
    return { data: records };
  },
});

/** A session that cannot be read has no turns, and the reason as a problem. */
async function readIfPossible(name: string, sessions: Sessions) {
  try {
    return await sessions.read(name);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    return { turns: undefined, problems: [`${error.message}. ${error.hint}`] };
  }
}

function summaryOf(turns: readonly Turn[] | undefined): object {
  const firstMessage = turns?.find(({ role }) => role === "user");
  return {
    turns: turns?.length ?? null,
    created: turns?.[0]?.time ?? null,
    used: turns?.at(-1)?.time ?? null,
    model: turns?.findLast(({ model }) => model !== undefined)?.model ?? null,
    firstMessage: firstMessage === undefined ? null : textOf(firstMessage.content),
  };
}
