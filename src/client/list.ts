import type { InputOf, OperationId } from "../contract/index.ts";
import type { ReadAnswer, Sent } from "./attempt.ts";
import type { CallOptions } from "./call-options.ts";
import { UnreadableAnswer } from "./errors.ts";
import { readText } from "./fetch.ts";
import { jsonAnswer } from "./json-answer.ts";
import { jsonArrayElements } from "./json-array.ts";
import { lively } from "./lively.ts";
import { failedSending } from "./outcome.ts";
import { send } from "./send.ts";

/** What a list came to: its records as they come, or the whole answer where it is no bare list. */
export type Listed = { readonly records: AsyncIterable<readonly unknown[]> } | { readonly data: unknown };

/** One operation that lists, and its input, in; what it lists out. */
export type List = <Id extends OperationId>(id: Id, input: InputOf<Id>) => Promise<Listed>;

/**
 * Sends an operation and gives back the records of its answer as they come, so that a list may be longer than memory.
 * Until the first of them is there it is tried again as `call` is, and throws the same; a failure after that throws
 * `NetworkError` or `UnreadableAnswer` out of the records. An answer that is no bare array is given back whole.
 */
export async function list<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  options: CallOptions,
): Promise<Listed> {
  return send(id, input, { answer: readList(options.signal), pages: turned }, options);
}

/** The first page is there before the rest is asked for. */
async function turned(pages: AsyncGenerator<readonly unknown[]>): Promise<Listed> {
  const first = await pages.next();
  return { records: first.done ? nothing() : after(first.value, pages) };
}

async function* nothing(): AsyncGenerator<never> {}

async function* after<Batch>(first: Batch, rest: AsyncGenerator<Batch>): AsyncGenerator<Batch> {
  yield first;
  yield* rest;
}

const readList =
  (signal: AbortSignal | undefined): ReadAnswer<Listed> =>
  async (answer, sent) => {
    const chunks = lively(answer, sent.limit);
    const head: Uint8Array[] = [];
    let begin: number | undefined;
    while (begin === undefined) {
      const next = await chunks.next();
      if (next.done) break;
      head.push(next.value);
      begin = next.value.find((byte) => !skipped.has(byte));
    }
    const all = joined(head, chunks);
    if (begin !== openingBracket) {
      const whole = jsonAnswer(await readText({ body: all }), answer.status, sent);
      return "value" in whole ? { value: { data: whole.value } } : whole;
    }
    const { method, url } = sent.request;
    const broken = (reason: string) => new UnreadableAnswer(reason, answer.status, { method, url });
    const batches = jsonArrayElements(all, broken);
    const first = await batches.next();
    sent.keepOpen();
    return { value: { records: following(first.done ? [] : first.value, batches, sent, signal) } };
  };

const openingBracket = 0x5b;
/** Blanks, and the mark that some put before UTF-8. */
const skipped: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

async function* joined(
  head: readonly Uint8Array[],
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* head;
  yield* rest;
}

/** What came first and what follows; the time for the try ends with it. */
async function* following<Batch>(
  first: Batch,
  rest: AsyncGenerator<Batch>,
  { request, limit }: Sent,
  signal: AbortSignal | undefined,
): AsyncGenerator<Batch> {
  try {
    yield first;
    yield* rest;
  } catch (cause) {
    signal?.throwIfAborted();
    throw failedSending(cause, request);
  } finally {
    limit.clear();
    await rest.return(undefined);
  }
}
