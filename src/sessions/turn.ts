import { isRecord } from "../core/json.ts";

/** The content of a message: a text, or a list of parts such as texts and pictures. */
export type Content = string | readonly Part[];

export interface Part {
  readonly type: string;
  readonly [name: string]: unknown;
}

/** One message of a session. Each turn is one line of the session's file. */
export interface Turn {
  readonly id: string;
  /** The ID of the previous turn in the same conversation; null for the first turn. */
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
  /** True if the answer came from the sandbox inside gpuctl, whose models differ from those of a service. */
  readonly sandbox?: boolean;
  /** Why the answer is incomplete; undefined if it is complete. */
  readonly incomplete?: string;
}

export type Role = (typeof roles)[number];
const roles = ["system", "user", "assistant"] as const;

/** Token counts as the service reports them. */
export type Usage = Readonly<Record<string, unknown>>;

/** A message as it is sent to the service. */
export interface Message {
  readonly role: Role;
  readonly content: Content;
}

/**
 * Parses a line of a session's file. Returns undefined if the line is not a turn. Uses plain `JSON.parse` for speed,
 * because exact numbers are not needed.
 */
export function parseTurn(line: string): Turn | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isTurn(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value is a turn. Additional fields are allowed. */
export function isTurn(value: unknown): value is Turn {
  if (!isRecord(value)) return false;
  const { id, parent, time, role, content, usage, sandbox } = value;
  return (
    typeof id === "string" &&
    (typeof parent === "string" || parent === null) &&
    typeof time === "string" &&
    roles.some((one) => one === role) &&
    isContent(content) &&
    (usage === undefined || isRecord(usage)) &&
    (sandbox === undefined || typeof sandbox === "boolean") &&
    optionalTexts.every((name) => value[name] === undefined || typeof value[name] === "string")
  );
}

const optionalTexts = ["model", "finish", "cost", "incomplete"];

/** Whether a value can be the content of a turn. */
export const isContent = (value: unknown): value is Content =>
  typeof value === "string" ||
  (Array.isArray(value) && value.every((part) => isRecord(part) && typeof part.type === "string"));

/** Returns the text of a message. A part without text is shown as its type, such as `[image_url]`. */
export const textOf = (content: Content): string =>
  typeof content === "string"
    ? content
    : content.map(({ type, text }) => (typeof text === "string" ? text : `[${type}]`)).join("\n");

/**
 * Returns the turns of one conversation, from its first turn to the turn with the ID `head`. A turn may be stored
 * before its parent: another process may ask a question after an answer that is still being stored.
 */
export function chainTo(head: string | null, turns: readonly Turn[]): readonly Turn[] {
  const byId = new Map(turns.map((turn) => [turn.id, turn]));
  const chain: Turn[] = [];
  let next = head === null ? undefined : byId.get(head);
  while (next !== undefined) {
    chain.push(next);
    // A file that was edited by hand may contain a cycle.
    byId.delete(next.id);
    next = next.parent === null ? undefined : byId.get(next.parent);
  }
  return chain.reverse();
}

/** Returns the turn after which a session continues: the last answer with text. Undefined if there is none. */
export const lastAnswer = (turns: readonly Turn[]): Turn | undefined =>
  turns.findLast(({ role, content }) => role === "assistant" && textOf(content) !== "");

/** Added to an incomplete answer when it is sent, so that the model knows that the answer was cut off. */
const cutMark = "[This answer was cut off here.]";

/** Returns the latest instructions, followed by all messages that are not instructions. */
export function instructionsFirst<One extends Message>(messages: readonly One[]): readonly One[] {
  const system = messages.findLast(({ role }) => role === "system");
  return [...(system ? [system] : []), ...messages.filter(({ role }) => role !== "system")];
}

/** Returns a conversation as it is sent: the latest instructions come first, and incomplete answers are marked. */
export function messagesOf(chain: readonly Turn[]): readonly Message[] {
  return instructionsFirst(chain).map(({ role, content, incomplete }) => ({
    role,
    content: incomplete === undefined ? content : `${textOf(content)}\n\n${cutMark}`,
  }));
}
