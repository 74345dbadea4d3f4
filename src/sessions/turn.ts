import { asList, asRecord, asText, isRecord } from "../core/json.ts";

/** A text, or the parts of a message: texts, pictures. */
export type Content = string | readonly Readonly<Record<string, unknown>>[];

/** One message of a session, and one line of its file. */
export interface Turn {
  readonly id: string;
  /** The turn before it in its conversation; null for the first one. */
  readonly parent: string | null;
  /** ISO 8601. */
  readonly time: string;
  readonly role: Role;
  readonly content: Content;
  /** The model, finish reason, token counts and cost in dollars of an answer, if they are known. */
  readonly model?: string;
  readonly finish?: string;
  readonly usage?: Usage;
  readonly cost?: string;
  /** Why the content is only a part of the answer. */
  readonly incomplete?: string;
}

export type Role = (typeof roles)[number];
const roles = ["system", "user", "assistant"] as const;

/** Token counts as the service reports them. */
export type Usage = Readonly<Record<string, unknown>>;

/** A message as it is sent. */
export interface Message {
  readonly role: Role;
  readonly content: Content;
}

/** The turn that a line of a file holds; undefined for any other line. */
export function turnOf(value: unknown): Turn | undefined {
  const record = asRecord(value);
  const { id, parent, time, content, model, finish, usage, cost, incomplete } = record;
  const role = roles.find((one) => one === record.role);
  if (typeof id !== "string" || (typeof parent !== "string" && parent !== null)) return undefined;
  if (typeof time !== "string" || role === undefined || !isContent(content)) return undefined;
  return {
    id,
    parent,
    time,
    role,
    content,
    ...(typeof model === "string" && { model }),
    ...(typeof finish === "string" && { finish }),
    ...(isRecord(usage) && { usage }),
    ...(typeof cost === "string" && { cost }),
    ...(typeof incomplete === "string" && { incomplete }),
  };
}

const isContent = (value: unknown): value is Content =>
  typeof value === "string" || (Array.isArray(value) && value.every(isRecord));

/** The text of a message. A part without text is named by its type, as in `[image_url]`. */
export const textOf = (content: Content): string =>
  typeof content === "string"
    ? content
    : asList(content)
        .map((part) => asText(asRecord(part).text) || `[${asText(asRecord(part).type) || "part"}]`)
        .join("\n");

/** The turns of one conversation, from its first turn to the one with the ID `head`. */
export function chainTo(head: string | null, turns: readonly Turn[]): readonly Turn[] {
  const byId = new Map(turns.map((turn) => [turn.id, turn]));
  const chain: Turn[] = [];
  const seen = new Set<string>();
  for (let id = head; id !== null && !seen.has(id); ) {
    const turn = byId.get(id);
    if (turn === undefined) break;
    seen.add(id);
    chain.push(turn);
    id = turn.parent;
  }
  return chain.reverse();
}

/** The turn to continue after: the last answer that has a text. Undefined if there is none. */
export const lastAnswer = (turns: readonly Turn[]): Turn | undefined =>
  turns.findLast(({ role, content }) => role === "assistant" && textOf(content) !== "");

/** Appended to an incomplete answer when it is sent, so that the model does not take it for whole. */
const cutMark = "[This answer was cut off here.]";

/** A conversation as it is sent: the latest instructions first, and incomplete answers marked. */
export function messagesOf(chain: readonly Turn[]): readonly Message[] {
  const system = chain.findLast(({ role }) => role === "system");
  const others = chain.filter(({ role }) => role !== "system");
  return [...(system ? [system] : []), ...others].map(({ role, content, incomplete }) => ({
    role,
    content: incomplete === undefined ? content : `${textOf(content)}\n\n${cutMark}`,
  }));
}
