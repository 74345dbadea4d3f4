import type { CheckedInputOf } from "../../contract/index.ts";
import { TimeLimitExceeded, withinTime } from "../../core/tasks/time-limit.ts";
import { textOf } from "../engines/chat.ts";
import { ApiError } from "../errors.ts";
import type { Queries, Row, Store } from "../store/queries.ts";
import { type ScriptedReply, scriptedReply, type TextPattern } from "./format.ts";

/** A reply of the chat script, and how often it was sent. */
export interface StoredReply {
  /** Its place in the script, from 0. */
  readonly index: number;
  readonly uses: number;
  readonly reply: ScriptedReply;
}

const stored = (row: Row): StoredReply => ({
  index: Number(row.place),
  uses: Number(row.uses),
  reply: JSON.parse(String(row.record)),
});

export const listReplies = (store: Queries): readonly StoredReply[] =>
  store.all("SELECT * FROM chatReplies ORDER BY place").map(stored);

/** Throws if a stored reply is not valid. */
export function assertReplies(store: Queries): void {
  for (const { index, reply } of listReplies(store)) {
    if (!scriptedReply.safeParse(reply).success) {
      throw new Error(`reply ${index} of the chat script is not valid`);
    }
  }
}

/** Replaces the chat script. An empty list removes it. */
export const saveReplies = (store: Store, replies: readonly ScriptedReply[]): void =>
  store.write(() => {
    store.run("DELETE FROM chatReplies");
    for (const [index, reply] of replies.entries()) {
      const sql = "INSERT INTO chatReplies (place, uses, record) VALUES (?, 0, ?)";
      store.run(sql, index, JSON.stringify(reply));
    }
  });

type Input = Pick<CheckedInputOf<"createChatCompletion">, "messages" | "model">;

export const hasScript = (store: Queries): boolean =>
  store.all("SELECT 1 FROM chatReplies LIMIT 1").length > 0;

/** Returns the first matching reply that is not used up, and counts its use. If there is none, returns why. */
export function takeReply(store: Store, input: Input): StoredReply | "all used" | "no match" {
  return store.write(() => {
    const left = listReplies(store).filter(({ uses, reply }) => uses < timesOf(reply));
    const found = left.find(({ reply }) => matches(reply, input));
    if (found) store.run("UPDATE chatReplies SET uses = uses + 1 WHERE place = ?", found.index);
    return found ?? (left.length === 0 ? "all used" : "no match");
  });
}

/** How often a reply can be sent. */
export function timesOf({ times, when }: ScriptedReply): number {
  if (times === "always") return Number.POSITIVE_INFINITY;
  return times ?? (when ? Number.POSITIVE_INFINITY : 1);
}

function matches({ when }: ScriptedReply, { messages, model }: Input): boolean {
  if (when === undefined) return true;
  const user = messages.findLast(({ role }) => role === "user");
  const last = messages.at(-1);
  const toolResult = last?.role === "tool" ? last : undefined;
  // A reply whose `when` has `message` but no `toolResult` does not match a request that ends with a tool result:
  // otherwise, a reply that calls a tool would be sent again after each result of the tool, forever.
  const matchesTurn = (toolResult === undefined) === (when.toolResult === undefined);
  return (
    (when.model === undefined || when.model === model) &&
    (when.toolResult === undefined ||
      (toolResult !== undefined && fits(when.toolResult, textOf(toolResult)))) &&
    (when.message === undefined || (matchesTurn && user !== undefined && fits(when.message, textOf(user))))
  );
}

/** Time limit for one match, in milliseconds. Without it, some patterns would keep the process busy forever. */
const maxMatchTime = 1_000;

/** @throws ApiError when matching takes too long */
function fits(pattern: TextPattern, text: string): boolean {
  if (typeof pattern === "string") return text.includes(pattern);
  const expression = new RegExp(pattern.pattern, pattern.flags);
  try {
    return withinTime(maxMatchTime, () => expression.test(text));
  } catch (error) {
    if (!(error instanceof TimeLimitExceeded)) throw error;
    const message = `matching the message against ${expression} takes too long; change the pattern in the chat script`;
    throw new ApiError("BAD_REQUEST", [{ path: [], message }]);
  }
}
