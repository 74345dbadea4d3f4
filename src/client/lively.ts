import { type Deadline, orAborted } from "./deadline.ts";
import type { FetchAnswer } from "./fetch.ts";

/**
 * The bytes of an answer as they come. The time without a byte counts, not the whole of it, nor the time that whoever
 * reads takes over what came. Throws the reason of the deadline when it is over.
 */
export async function* lively({ body }: FetchAnswer, limit: Deadline): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      limit.extend();
      const next = await orAborted(chunks.next(), limit.signal);
      limit.pause();
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not awaited: a body that stalls would hold it for ever.
    chunks.return?.().catch(() => {});
  }
}
