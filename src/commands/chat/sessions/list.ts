import { defineCommand } from "../../../command-kit/define.ts";
import { type Turn, textOf } from "../../../sessions/turn.ts";
import { exampleSession, readIfPossible, sessionsOf } from "../session.ts";

export default defineCommand({
  path: "chat sessions list",
  summary: "List sessions, most recently used first",
  details:
    'The session "last" holds the last question that was answered without --session or --continue, with its answer. If you continue this session, it gets another name. A conversation (`gpuctl chat` on a terminal, without MESSAGE) has a session of its own, unless it is started with --session or --continue.',
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
    const records: object[] = [];
    for (const name of await sessionsOf(context).names()) {
      records.push({ name, ...summaryOf((await readIfPossible(name, context))?.turns) });
    }
    return { data: records };
  },
});

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
