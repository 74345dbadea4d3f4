import { Tokenizer, TokenParser, TokenType } from "@streamparser/json";
import type { InputOf, OperationId } from "../contract/index.ts";
import { InvalidResponse, ResponseTooLarge } from "../core/service-errors.ts";
import { markedNumber, withoutMarks } from "../core/values/exact-numbers.ts";
import { warnIfPartial } from "../openapi/paging.ts";
import type { ReadResponse, RequestInFlight } from "./attempt.ts";
import { transportError } from "./failure.ts";
import { firstCharacter, readText, startingWith, withIdleTimeout } from "./fetch.ts";
import { jsonOf } from "./response.ts";
import { type CallOptions, send } from "./send.ts";

/** Records in batches as they arrive, or the whole response if it is not an array. */
export type Listed = { readonly records: AsyncIterable<readonly unknown[]> } | { readonly data: unknown };

/** Sends an operation that returns a list. */
export type List = <Id extends OperationId>(id: Id, input: InputOf<Id>) => Promise<Listed>;

/**
 * Sends an operation and returns the records of its response as they arrive, so that a list may be larger than memory.
 * It retries and throws as `call` does until the first records arrive; after that the iteration throws `NetworkError` or
 * `InvalidResponse`. A response that is not a bare array is returned whole.
 */
export async function list<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  options: CallOptions,
): Promise<Listed> {
  const { warn } = options;
  const response: ReadResponse<Listed> = async (received, inFlight) => {
    const listed = await readList(received, inFlight);
    if (warn && "data" in listed) warnIfPartial(listed.data, warn);
    return listed;
  };
  return send(id, input, { response, pages: listedPages }, options);
}

/** Fetches the first page before it resolves, so that its failure rejects the call. */
async function listedPages(pages: AsyncGenerator<readonly unknown[]>): Promise<Listed> {
  const first = await pages.next();
  return { records: startingWith(first.done ? [] : [first.value], pages) };
}

const readList: ReadResponse<Listed> = async (response, inFlight) => {
  const { request, deadline, limits } = inFlight;
  const { first: start, body } = await firstCharacter(withIdleTimeout(response, deadline));
  if (start !== "[") {
    const text = await readText({ body }, deadline, limits.body[request.effect]);
    return { data: jsonOf(text, response.status, request, limits) };
  }
  const invalid = (reason: string) => new InvalidResponse(reason, response.status, request);
  const batches = arrayElements(body, { invalid, maxBytes: limits.part });
  const first = await batches.next();
  inFlight.keepOpen();
  return { records: untilEnd(first.done ? [] : first.value, batches, inFlight) };
};

/** The first batch and the rest; clears the deadline at the end. */
async function* untilEnd<Batch>(
  first: Batch,
  rest: AsyncGenerator<Batch>,
  { request, deadline, signal }: RequestInFlight,
): AsyncGenerator<Batch> {
  try {
    yield first;
    yield* rest;
  } catch (cause) {
    signal?.throwIfAborted();
    throw transportError(cause, { request });
  } finally {
    deadline.clear();
    await rest.return(undefined);
  }
}

/**
 * Yields the elements of a JSON array, one batch for each chunk; only one batch is held in memory. If the bytes are not
 * a complete array, it yields the elements before the error and then throws `invalid(reason)`. Throws `ResponseTooLarge`
 * when one element has more than `maxBytes`.
 */
async function* arrayElements(
  chunks: AsyncIterable<Uint8Array>,
  { invalid, maxBytes }: { readonly invalid: (reason: string) => Error; readonly maxBytes: number },
): AsyncGenerator<readonly unknown[]> {
  let sinceLast = 0;
  const ready: unknown[] = [];
  const parser = new ExactTokenizer();
  const values = new TokenParser({ paths: ["$.*"], keepStack: false });
  parser.onToken = (token) => values.write(parser.exact(token));
  values.onError = (error) => parser.error(error);
  values.onEnd = () => {
    if (!parser.isEnded) parser.end();
  };
  values.onValue = ({ value }) => {
    ready.push(parser.hasMarks ? withoutMarks(value) : value);
  };
  for await (const chunk of chunks) {
    let error: Error | undefined;
    try {
      parser.write(chunk);
    } catch (cause) {
      const byte = /absolute position "(\d+)"/.exec(String(cause))?.[1];
      error = invalid(`the response is not valid JSON${byte === undefined ? "" : ` at byte ${byte}`}`);
    }
    sinceLast = ready.length > 0 ? 0 : sinceLast + chunk.length;
    if (ready.length > 0) yield ready.splice(0);
    if (error) throw error;
    if (sinceLast > maxBytes) throw new ResponseTooLarge(maxBytes);
  }
  if (!values.isEnded) throw invalid("the response ended in the middle of the list");
}

/** Reads tokens, with marks for the numbers whose text is kept. */
class ExactTokenizer extends Tokenizer {
  #mark: string | undefined;
  hasMarks = false;

  protected override parseNumber(text: string): number {
    this.#mark = markedNumber(text);
    return Number(text);
  }

  exact(info: Parameters<Tokenizer["onToken"]>[0]): typeof info {
    if (info.token !== TokenType.NUMBER || this.#mark === undefined) return info;
    this.hasMarks = true;
    return { ...info, token: TokenType.STRING, value: this.#mark };
  }
}
