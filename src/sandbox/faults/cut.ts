import { PlainResponse } from "../http/exchange.ts";

/** Thrown before or within a response to break the connection, as if the server had reset it. */
export class ConnectionReset extends Error {
  override readonly name = "ConnectionReset";
  readonly code = "ECONNRESET";

  constructor(message = "a sandbox fault reset the connection") {
    super(message);
  }
}

const kib = 1024;
const lineEnd = 10;

/**
 * Truncates a response after `after` events (stream) or `after` KiB (anything else), then ends it normally, resets the
 * connection, or stays silent until the client disconnects.
 */
export function truncateResponse(
  response: PlainResponse,
  after: number,
  {
    reset,
    stall,
    signal,
  }: { readonly reset: boolean; readonly stall: boolean; readonly signal: AbortSignal },
): PlainResponse {
  const isStream = response.headers["content-type"]?.startsWith("text/event-stream") === true;
  const start = startOf(response, isStream ? eventLimit(after) : byteLimit(after * kib), reset);
  return new PlainResponse(stall ? silentAfter(start, signal) : ReadableStream.from(start), response);
}

/** Returns how many bytes of a chunk to keep if the response ends in it; undefined to keep all of them and continue. */
type Measure = (chunk: Uint8Array) => number | undefined;

async function* startOf(
  response: PlainResponse,
  measure: Measure,
  reset: boolean,
): AsyncGenerator<Uint8Array> {
  if (measure(new Uint8Array()) === undefined) {
    for await (const chunk of response.chunks()) {
      const end = measure(chunk);
      yield chunk.subarray(0, end);
      if (end !== undefined) break;
    }
  }
  if (reset) throw new ConnectionReset();
}

/** Returns a body that sends the chunks and then nothing more, until the client disconnects. */
const silentAfter = (chunks: AsyncGenerator<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> =>
  new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (!done) return controller.enqueue(value);
      await new Promise((_resolve, reject) => {
        const disconnect = () => reject(new ConnectionReset("the client disconnected"));
        if (signal.aborted) disconnect();
        else signal.addEventListener("abort", disconnect, { once: true });
      });
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });

function byteLimit(limit: number): Measure {
  let left = limit;
  return ({ length }) => {
    if (length >= left) return left;
    left -= length;
    return undefined;
  };
}

/** Counts server-sent events; each ends with a blank line. */
function eventLimit(limit: number): Measure {
  let left = limit;
  let before = 0;
  return (chunk) => {
    if (left === 0) return 0;
    for (const [at, byte] of chunk.entries()) {
      const ends = byte === lineEnd && before === lineEnd;
      if (ends) left -= 1;
      if (left === 0) return at + 1;
      before = ends ? 0 : byte;
    }
    return undefined;
  };
}
