import { AnswerCut } from "./errors.ts";
import type { ServerEvent } from "./sse.ts";

/** What one event of a chat stream, or a whole answer, says. Every part may be missing. */
export interface Piece {
  readonly text: string;
  /** Why the answer ended, in the event that ends it. */
  readonly finish: string | undefined;
  readonly usage: Usage | undefined;
  /** The event as it came. */
  readonly body: unknown;
}

export interface Usage {
  readonly prompt_tokens?: unknown;
  readonly completion_tokens?: unknown;
}

/**
 * The pieces of an answer as they come. Throws `AnswerCut` when the service reports a failure in the middle of it, or
 * when it ends without `[DONE]` or a finish reason: what came before is then only a part.
 */
export async function* pieces(events: AsyncIterable<ServerEvent>): AsyncGenerator<Piece> {
  let finished = false;
  for await (const event of events) {
    if (event.data.trim() === "[DONE]") return;
    const { piece, fault } = readEvent(event);
    finished ||= piece.finish !== undefined;
    if (piece.body !== undefined) yield piece;
    if (fault !== undefined) throw new AnswerCut(fault);
  }
  if (!finished) throw new AnswerCut("it ended before the answer was whole");
}

/** An event, and what has gone wrong by what it says. */
function readEvent({ event, data }: ServerEvent): {
  readonly piece: Piece;
  readonly fault: string | undefined;
} {
  const body = parse(data);
  const reported = isRecord(body) ? errorOf(body.error) : undefined;
  const error = event === "error" ? (reported ?? data) : reported;
  const garbage =
    body === undefined ? `it holds something that is not JSON: ${data.slice(0, 80)}` : undefined;
  return { piece: readPiece(body), fault: error ?? garbage };
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
    body,
  };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function errorOf(error: unknown): string | undefined {
  if (error === undefined || error === null) return undefined;
  return isRecord(error) && typeof error.message === "string" ? error.message : JSON.stringify(error);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
