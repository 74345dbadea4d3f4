import { isRecord } from "../core/json.ts";

/** A text, or the parts of a message: texts, pictures. */
export type Content = string | readonly Part[];

export interface Part {
  readonly type: string;
  readonly [name: string]: unknown;
}

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

/**
 * Reads a line of a file; undefined if it is not a turn. Uses plain `JSON.parse` for speed: exact numbers are not
 * needed.
 */
export function parseTurn(line: string): Turn | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isTurn(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value is a turn. It may have other fields, too. */
export function isTurn(value: unknown): value is Turn {
  if (!isRecord(value)) return false;
  const { id, parent, time, role, content, usage } = value;
  return (
    typeof id === "string" &&
    (typeof parent === "string" || parent === null) &&
    typeof time === "string" &&
    roles.some((one) => one === role) &&
    isContent(content) &&
    (usage === undefined || isRecord(usage)) &&
    optionalTexts.every((name) => value[name] === undefined || typeof value[name] === "string")
  );
}

const optionalTexts = ["model", "finish", "cost", "incomplete"];

const isContent = (value: unknown): value is Content =>
  typeof value === "string" ||
  (Array.isArray(value) && value.every((part) => isRecord(part) && typeof part.type === "string"));

/** The text of a message. A part without text is named by its type, as in `[image_url]`. */
export const textOf = (content: Content): string =>
  typeof content === "string"
    ? content
    : content.map(({ type, text }) => (typeof text === "string" ? text : `[${type}]`)).join("\n");

/** The turns of one conversation, from its first turn to the one with the ID `head`. A turn is stored after its parent. */
export function chainTo(head: string | null, turns: readonly Turn[]): readonly Turn[] {
  const chain: Turn[] = [];
  let wanted = head;
  for (let at = turns.length - 1; at >= 0 && wanted !== null; at--) {
    const turn = turns[at];
    if (turn?.id !== wanted) continue;
    chain.push(turn);
    wanted = turn.parent;
  }
  return chain.reverse();
}

/** The turn to continue after: the last answer that has a text. Undefined if there is none. */
export const lastAnswer = (turns: readonly Turn[]): Turn | undefined =>
  turns.findLast(({ role, content }) => role === "assistant" && textOf(content) !== "");

/** Appended to an incomplete answer when it is sent, so that the model does not take it for whole. */
const cutMark = "[This answer was cut off here.]";

/** The latest instructions, then all messages that are not instructions. */
export function instructionsFirst<One extends Message>(messages: readonly One[]): readonly One[] {
  const system = messages.findLast(({ role }) => role === "system");
  return [...(system ? [system] : []), ...messages.filter(({ role }) => role !== "system")];
}

/** A conversation as it is sent: the latest instructions first, and incomplete answers marked. */
export function messagesOf(chain: readonly Turn[]): readonly Message[] {
  return instructionsFirst(chain).map(({ role, content, incomplete }) => ({
    role,
    content: incomplete === undefined ? content : `${textOf(content)}\n\n${cutMark}`,
  }));
}
