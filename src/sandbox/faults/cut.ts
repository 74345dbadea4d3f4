import { ConnectionReset } from "./connection-reset.ts";

const kib = 1024;
const lineEnd = 10;

/**
 * The start of an answer: so many server-sent events, or KiB when it is no stream. What is shorter is whole. It ends
 * as if that were all, or with a reset of the connection.
 */
export function cut(answer: Response, after: number, { reset }: { readonly reset: boolean }): Response {
  const { status, headers, body } = answer;
  const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
  const kept = new Headers(headers);
  kept.delete("content-length");
  const start = startOf(body, isStream ? eventEnds(after) : bytes(after * kib), reset);
  return new Response(ReadableStream.from(start), { status, headers: kept });
}

/** How many bytes of a piece belong to the start; nothing when all do and more may follow. */
type Measure = (piece: Uint8Array) => number | undefined;

async function* startOf(
  body: AsyncIterable<Uint8Array> | null,
  measure: Measure,
  reset: boolean,
): AsyncGenerator<Uint8Array> {
  if (measure(new Uint8Array()) === undefined) {
    for await (const piece of body ?? []) {
      const end = measure(piece);
      yield piece.subarray(0, end);
      if (end !== undefined) break;
    }
  }
  if (reset) throw new ConnectionReset();
}

function bytes(most: number): Measure {
  let left = most;
  return ({ length }) => {
    if (length >= left) return left;
    left -= length;
    return undefined;
  };
}

/** An event ends with a blank line. */
function eventEnds(most: number): Measure {
  let left = most;
  let before = 0;
  return (piece) => {
    if (left === 0) return 0;
    for (const [at, byte] of piece.entries()) {
      const ends = byte === lineEnd && before === lineEnd;
      if (ends) left -= 1;
      if (left === 0) return at + 1;
      before = ends ? 0 : byte;
    }
    return undefined;
  };
}
