import type { InputOf, OperationId } from "../contract/index.ts";
import { InvalidResponse, ResponseTooLarge } from "../core/service-errors.ts";
import { parseExactly } from "../core/values/exact-numbers.ts";
import { warnIfPartial } from "../openapi/paging.ts";
import { type ReadResponse, type RequestInFlight, sendRequest } from "./attempt.ts";
import { orAborted } from "./deadline.ts";
import { transportError } from "./failure.ts";
import { type FetchResponse, firstCharacter, readText, startingWith, withIdleTimeout } from "./fetch.ts";
import { acceptAnything, type RequestParts, wireRequest } from "./request.ts";
import { type BufferedResponse, jsonOf, readBuffered, readJson } from "./response.ts";
import { type CallOptions, send } from "./send.ts";

/**
 * Records in batches as they arrive, or the whole response if it is not an array, or if it is short and `wholeIfShort`
 * is set.
 */
export type Listed = { readonly records: AsyncIterable<readonly unknown[]> } | { readonly data: unknown };

interface ListOptions {
  /**
   * Reads a short response to its end before returning it, as `call` does, so that the request is retried if the
   * connection breaks. Without this option, the first records are returned as soon as they arrive.
   */
  readonly wholeIfShort?: boolean;
}

/** Sends an operation that returns a list. */
export type List = <Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  options?: ListOptions,
) => Promise<Listed>;

/**
 * Sends an operation and returns the records of its response as they arrive, so that a list may be larger than memory.
 * Until the first records arrive, `list` retries and throws as `call` does. After that, the iteration throws
 * `NetworkError`, `InvalidResponse`, `ResponseTooLarge` or, after an abort, the signal's reason. If the list has
 * several pages, the iteration requests the further pages, and throws as `call` does. Without pages, a response that is
 * not a bare array is returned whole.
 */
export async function list<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  options: CallOptions & ListOptions,
): Promise<Listed> {
  const { warn, wholeIfShort } = options;
  const response: ReadResponse<Listed> = async (received, inFlight) => {
    const listed = await (wholeIfShort ? readWholeIfShort : readList)(received, inFlight);
    if (warn && "data" in listed) warnIfPartial(listed.data, warn);
    return listed;
  };
  const minRecords = wholeIfShort ? shortPages : 0;
  return send(id, input, { response, pages: (pages) => listedPages(pages, minRecords) }, options);
}

/** If `wholeIfShort` is set, how many records of a paged list are fetched before the first of them is returned. */
const shortPages = 1_000;

/**
 * Resolves after fetching the first page and, while there are fewer than `minRecords` records, further pages. Rejects
 * if a fetch fails.
 */
async function listedPages(pages: AsyncGenerator<readonly unknown[]>, minRecords: number): Promise<Listed> {
  const head: (readonly unknown[])[] = [];
  for (let count = 0, next = await pages.next(); !next.done; next = await pages.next()) {
    head.push(next.value);
    count += next.value.length;
    if (count >= minRecords) return { records: startingWith(head, pages) };
  }
  return { records: startingWith(head, pages) };
}

const readWholeIfShort: ReadResponse<Listed> = async (response, inFlight) => {
  const { response: whole, isShort } = await readShort(response, inFlight);
  return isShort ? { data: await readJson(whole, inFlight) } : readList(whole, inFlight);
};

/**
 * Reads the start of a response, or all of it if it is short. In the returned response, the body still has all bytes.
 */
async function readShort(
  response: FetchResponse,
  { deadline, limits }: RequestInFlight,
): Promise<{ readonly response: FetchResponse; readonly isShort: boolean }> {
  const chunks = bodyOf(response);
  const head: Uint8Array[] = [];
  for (let length = 0; length <= limits.shortList; ) {
    const next = await orAborted(chunks.next(), deadline.signal);
    if (next.done) return { response: { ...response, body: startingWith(head, chunks) }, isShort: true };
    head.push(next.value);
    length += next.value.length;
  }
  return { response: { ...response, body: startingWith(head, chunks) }, isShort: false };
}

async function* bodyOf({ body }: FetchResponse): AsyncGenerator<Uint8Array> {
  yield* body ?? [];
}

/** A response that was read to its end, or the records of a long JSON array as they arrive. */
export type RawListed = BufferedResponse | { readonly records: AsyncIterable<readonly unknown[]> };

/** Sends any read request. Returns the whole response, unless it is a long list. */
export type RawList = (parts: RequestParts) => Promise<RawListed>;

/** Like `rawCall`, but returns the records of a long list as they arrive; see `list`. */
export const rawList = (parts: RequestParts, options: CallOptions): Promise<RawListed> =>
  sendRequest(wireRequest(parts, options.target, acceptAnything), readRawList, options);

const readRawList: ReadResponse<RawListed> = async (received, inFlight) => {
  const { response, isShort } = await readShort(received, inFlight);
  const isJson = /[/+]json\b/i.test(response.headers.get("content-type") ?? "");
  if (isShort || !isJson) return readBuffered()(response, inFlight);
  const { first, body } = await firstCharacter(bodyOf(response));
  const rest = { ...response, body };
  return first === "["
    ? recordsIn(withIdleTimeout(rest, inFlight.deadline), response.status, inFlight)
    : readBuffered()(rest, inFlight);
};

const readList: ReadResponse<Listed> = async (response, inFlight) => {
  const { request, deadline, limits } = inFlight;
  const { first: start, body } = await firstCharacter(withIdleTimeout(response, deadline));
  if (start !== "[") {
    const text = await readText({ body }, deadline, limits.body[request.effect]);
    return { data: jsonOf(text, response.status, request, limits) };
  }
  return recordsIn(body, response.status, inFlight);
};

/** The elements of an array. Resolves when the first ones have arrived. */
async function recordsIn(body: AsyncGenerator<Uint8Array>, status: number, inFlight: RequestInFlight) {
  const { request, limits } = inFlight;
  const invalid = (reason: string) => new InvalidResponse(reason, status, request);
  const batches = arrayElements(body, { invalid, maxBytes: limits.part });
  const first = await batches.next();
  inFlight.keepOpen();
  return { records: untilEnd(first.done ? [] : first.value, batches, inFlight) };
}

/** Yields the first batch and the rest, and clears the deadline at the end. */
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
 * Yields the elements of a JSON array, one batch for each chunk, so that only one batch is held in memory. Only
 * whitespace and a byte order mark may come before the array. If the bytes are not a complete array, yields the
 * elements before the error and then throws `invalid(reason)`; the reason gives the position of invalid JSON. Throws
 * `ResponseTooLarge` if one element has more than `maxBytes`.
 */
async function* arrayElements(
  chunks: AsyncIterable<Uint8Array>,
  { invalid, maxBytes }: { readonly invalid: (reason: string) => Error; readonly maxBytes: number },
): AsyncGenerator<readonly unknown[]> {
  const notJson = (byte: number) => invalid(`the response is not valid JSON at byte ${byte}`);
  const scanner = new ArrayScanner();
  /** Bytes that have not been parsed yet; `position` is the position of the first of them in the response. */
  let pending: Uint8Array[] = [];
  let position = 0;
  let pendingLength = 0;
  let isFirst = true;
  for await (const chunk of chunks) {
    let rest: Uint8Array = chunk;
    const cut = scanner.isEnded ? undefined : scanner.lastCut(chunk);
    if (cut !== undefined) {
      const bytes = Buffer.concat([...pending, chunk.subarray(0, cut)]);
      const { elements, errorAt } = parseElements(bytes, { isFirst, isLast: scanner.isEnded });
      if (elements.length > 0) yield elements;
      if (errorAt !== undefined) throw notJson(position + errorAt);
      isFirst = false;
      pending = [];
      pendingLength = 0;
      position += bytes.length;
      rest = chunk.subarray(cut);
    }
    if (scanner.isEnded) {
      // In the chunk where the array ends, `rest` begins with the closing bracket.
      const after = cut === undefined ? 0 : rest[0] === closingBracket ? 1 : 0;
      const unexpected = rest.findIndex((byte, at) => at >= after && !isBlank(byte));
      if (unexpected >= 0) throw notJson(position + unexpected);
      position += rest.length;
      continue;
    }
    pending.push(rest);
    pendingLength += rest.length;
    if (pendingLength > maxBytes) throw new ResponseTooLarge(maxBytes);
  }
  if (!scanner.isEnded) throw invalid("the response ended in the middle of the list");
}

/**
 * Parses a part of an array: whole elements, each with a comma before it, except the first element of the array. If
 * something cannot be parsed, `errorAt` is its position, and `elements` are the elements before it.
 */
function parseElements(
  bytes: Buffer,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): { readonly elements: readonly unknown[]; readonly errorAt?: number } {
  const blankUntil = (from: number) => {
    let at = from;
    while (at < bytes.length && isBlank(bytes[at])) at += 1;
    return at;
  };
  const separator = isFirst ? bytes.indexOf(openingBracket) : blankUntil(0);
  if (!isFirst && separator === bytes.length) return { elements: [] };
  if (!isFirst && bytes[separator] !== comma) return { elements: [], errorAt: separator };
  const start = separator + 1;
  if (blankUntil(start) === bytes.length) {
    return isFirst && isLast ? { elements: [] } : { elements: [], errorAt: bytes.length };
  }
  const parsed = (text: string) => parseExactly(`[${text}]`) as readonly unknown[];
  try {
    return { elements: parsed(bytes.toString("utf8", start)) };
  } catch (error) {
    // A `RangeError` means that an element is nested too deeply. The response is invalid then, too.
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
  }
  const scanner = new ArrayScanner(1);
  const elements: unknown[] = [];
  for (let from = start; ; ) {
    const end = scanner.next(bytes, from) ?? bytes.length;
    try {
      const [element] = parsed(bytes.toString("utf8", from, end));
      if (element === undefined) return { elements, errorAt: blankUntil(from) };
      elements.push(element);
    } catch {
      return { elements, errorAt: blankUntil(from) };
    }
    from = end + 1;
  }
}

/**
 * Finds the commas between the elements of an array, and the end of the array, in bytes that arrive in chunks. Checks
 * nothing else.
 */
class ArrayScanner {
  /** Whether the closing bracket of the array was found. */
  isEnded = false;
  #depth: number;
  #isInString = false;
  #isEscaped = false;

  /** `depth` is 0 before the array and 1 inside. */
  constructor(depth = 0) {
    this.#depth = depth;
  }

  /**
   * Returns the last index in the chunk at which the chunk can be cut: every element before it is complete. If the
   * array ends in the chunk, this is the index of the closing bracket. Undefined if the chunk cannot be cut.
   */
  lastCut(chunk: Uint8Array): number | undefined {
    let last: number | undefined;
    for (let at = this.next(chunk, 0); at !== undefined; at = this.next(chunk, at + 1)) {
      last = at;
      if (this.isEnded) return last;
    }
    // An object or list at the end of the chunk is complete, even if the comma after it has not arrived yet.
    const isWhole = this.#depth === 1 && !this.#isInString && closing.has(chunk.at(-1) ?? 0);
    return isWhole ? chunk.length : last;
  }

  /** The index of the next comma between two elements, or of the bracket that closes the array. */
  next(bytes: Uint8Array, from: number): number | undefined {
    let depth = this.#depth;
    let isInString = this.#isInString;
    let isEscaped = this.#isEscaped;
    let found: number | undefined;
    for (let at = from; at < bytes.length; at += 1) {
      let byte = bytes[at];
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else {
          while (byte !== quote && byte !== backslash && at < bytes.length) {
            at += 1;
            byte = bytes[at];
          }
          if (byte === backslash) isEscaped = true;
          else if (byte === quote) isInString = false;
        }
      } else if (byte === quote) isInString = true;
      else if (byte === openingBracket || byte === openingBrace) depth += 1;
      else if (byte === closingBracket || byte === closingBrace) {
        depth -= 1;
        if (depth > 0) continue;
        this.isEnded = true;
        found = at;
        break;
      } else if (byte === comma && depth === 1) {
        found = at;
        break;
      }
    }
    this.#depth = depth;
    this.#isInString = isInString;
    this.#isEscaped = isEscaped;
    return found;
  }
}

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c];
const [openingBracket, closingBracket, openingBrace, closingBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
const closing: ReadonlySet<number> = new Set([closingBracket, closingBrace]);
const isBlank = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
