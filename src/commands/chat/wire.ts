import { isRecord } from "../shared/records.ts";

/** What one event of a chat stream, or a whole answer, says. Every part may be missing. */
export interface Piece {
  readonly text: string;
  /** Why the answer ended, in the event that ends it. */
  readonly finish: string | undefined;
  readonly usage: Usage | undefined;
  /** The service reports a failure in the middle of a good answer. */
  readonly error: string | undefined;
}

export interface Usage {
  readonly prompt_tokens?: unknown;
  readonly completion_tokens?: unknown;
}

/** Reads a chunk or a whole answer of the chat wire; of several choices the first one counts. */
export function readPiece(body: unknown): Piece {
  const chunk = isRecord(body) ? body : {};
  const choices = Array.isArray(chunk.choices) ? chunk.choices.filter(isRecord) : [];
  const choice = choices.find(({ index }) => index === undefined || index === 0);
  const said = [choice?.delta, choice?.message].find(isRecord);
  return {
    text: textOf(said?.content),
    finish: textOf(choice?.finish_reason) || undefined,
    usage: isRecord(chunk.usage) ? chunk.usage : undefined,
    error: errorOf(chunk.error),
  };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function errorOf(error: unknown): string | undefined {
  if (error === undefined || error === null) return undefined;
  return isRecord(error) && typeof error.message === "string" ? error.message : JSON.stringify(error);
}
