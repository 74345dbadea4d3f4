import type { Context, Ports } from "../../../command-kit/context.ts";
import type { OpenSession } from "../../../sessions/open.ts";
import type { Content } from "../../../sessions/turn.ts";
import type { Attachment } from "../attach.ts";

/** The state of a conversation. */
export interface Talk {
  session: OpenSession;
  model: string;
  /** Other fields to send with every request, such as those that /set changes. */
  fields: Readonly<Record<string, unknown>>;
  /** Instructions for the model. If undefined, the instructions of the session apply. */
  system: string | undefined;
  /** The attachments to send with the next message. */
  attachments: readonly Attachment[];
}

export type Tools = Context & Pick<Ports, "dialog" | "ask" | "withServiceFlags">;

/** What the commands of a conversation need. */
export interface TalkOptions {
  readonly talk: Talk;
  /** The fields that /set accepts, and how each is parsed. */
  readonly settable: readonly Settable[];
  /** Sends a message and prints the answer. */
  readonly send: (content: Content) => Promise<void>;
}

/** Describes a session by its name and number of turns. */
export function aboutSession(session: OpenSession): string {
  const { length } = session.turns();
  return length === 0
    ? `New session ${session.name()}.`
    : `Session ${session.name()}, ${length} ${length === 1 ? "turn" : "turns"}.`;
}

/** A field that /set can change. */
export interface Settable {
  readonly name: string;
  /** Returns the request fields that a value sets. Throws `UsageError` if the value is invalid. */
  readonly parse: (text: string) => Readonly<Record<string, unknown>>;
}
