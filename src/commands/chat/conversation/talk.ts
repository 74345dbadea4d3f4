import type { Context, Ports } from "../../../command-kit/context.ts";
import type { OpenSession } from "../../../sessions/open.ts";
import type { Content } from "../../../sessions/turn.ts";
import type { Attachment } from "../attach.ts";

/** What changes in a conversation. */
export interface Talk {
  session: OpenSession;
  model: string;
  /** The other fields that every request has, such as those that /set sets. */
  fields: Readonly<Record<string, unknown>>;
  /** Instructions for the model; undefined for those of the session. */
  system: string | undefined;
  /** What goes with the next message. */
  attachments: readonly Attachment[];
}

export type Tools = Context & Pick<Ports, "dialog" | "ask">;

/** What the command line gives a conversation. */
export interface TalkOptions {
  readonly talk: Talk;
  /** The fields that /set accepts, and how each is parsed. */
  readonly settable: readonly Settable[];
  /** Sends a message and prints the answer. */
  readonly send: (content: Content) => Promise<void>;
}

/** A session and its number of turns, as in the list of sessions. */
export function aboutSession(session: OpenSession): string {
  const { length } = session.turns();
  return length === 0
    ? `New session ${session.name()}.`
    : `Session ${session.name()}, ${length} ${length === 1 ? "turn" : "turns"}.`;
}

/** A field that /set sets. */
export interface Settable {
  readonly name: string;
  /** The fields of the request for a value. Throws `UsageError`. */
  readonly parse: (text: string) => Readonly<Record<string, unknown>>;
}
