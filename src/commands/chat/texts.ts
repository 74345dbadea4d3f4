import type { TextPiece } from "../../core/result.ts";
import type { StoredCompletion } from "./session.ts";

/** Reports what is special about a completion, and returns why it could not be stored. */
export type Report = () => Error | undefined;

/** The text as it arrives, and the reasoning as asides. Throws what `report` returns. */
export async function* texts(completion: StoredCompletion, report: Report): AsyncGenerator<TextPiece> {
  for await (const { kind, text } of completion) yield kind === "text" ? text : { aside: text };
  throwIfAny(report());
}

/** Each event as the service sent it. */
export async function* records(
  completion: StoredCompletion,
  report: Report,
): AsyncGenerator<readonly unknown[]> {
  for await (const event of completion.events()) yield [event];
  throwIfAny(report());
}

function throwIfAny(error: Error | undefined): void {
  if (error) throw error;
}
