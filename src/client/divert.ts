import { parseJson } from "../core/json.ts";
import { type Redactor, redactedBytes } from "../core/redact.ts";
import { ResponseTooLarge } from "../core/service-errors.ts";
import type { Convert, Fetch, ResponseBody } from "./fetch.ts";

/** Takes strings out of a JSON response while they arrive, so that they are never in memory as a whole. */
export interface Divert {
  /** Where the strings are: keys separated by dots, with `*` for any element of a list, such as `images.*.image`. */
  readonly path: string;
  /** The maximum number of strings that are taken out. Any others stay in the response. */
  readonly max: number;
  /** Called at the start of each string that is taken out. */
  readonly open: () => Diverted;
}

/** Receives one string that is taken out of the response. */
export interface Diverted {
  /**
   * Replaces the string in the response. It must be unique. It must also look like base64 (at least 64 letters, digits
   * or `_`), so that error messages leave it out.
   */
  readonly placeholder: string;
  /**
   * Receives the next part of the string. A part is at most a few bytes longer than 64 KiB. Its escape sequences are
   * decoded. Outside of them, each character is one byte of the response. If this returns false, the part and
   * everything after it stay in the response, after the placeholder.
   */
  readonly write: (part: string) => boolean;
  /** Called at the end of the string, if `write` accepted every part. */
  readonly end: () => void;
  /** Returns the text that was taken out of the response. */
  readonly text: () => string;
}

/**
 * How many bytes of the response are scanned at once. A part can be a few bytes longer: it may begin with the start of
 * an escape sequence from the previous bytes.
 */
const chunkLength = 64 * 1024;

/**
 * Wraps a `fetch` so that strings are taken out of successful responses. Reading more than `maxBytes` of such a
 * response throws `ResponseTooLarge`.
 */
export const divertingFetch =
  (fetch: Fetch, { path, max, open }: Divert, maxBytes: number): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init);
    const { status, headers, body } = response;
    if (body === null || status < 200 || status > 299) return response;
    const opened: Diverted[] = [];
    const scanner = new Scanner(path, () => {
      if (opened.length >= max) return undefined;
      const diverted = open();
      opened.push(diverted);
      return diverted;
    });
    return {
      status,
      headers,
      body: rest(body, scanner, maxBytes),
      // If the response was cut in the middle of an escape sequence, the scanner still holds the start of the sequence.
      restored: (bytes) => Buffer.concat([restored(bytes, opened), Buffer.from(scanner.held, "latin1")]),
    };
  };

async function* rest(body: ResponseBody, scanner: Scanner, maxBytes: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  const scan: Convert = (chunk) => {
    length += chunk.length;
    if (length > maxBytes) throw new ResponseTooLarge(maxBytes);
    const kept: Uint8Array[] = [];
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let at = 0; at < bytes.length; at += chunkLength) {
      kept.push(scanner.scan(bytes.subarray(at, at + chunkLength)));
    }
    return kept.filter((one) => one.length > 0);
  };
  if (body.converted) yield* body.converted(scan);
  else for await (const chunk of body) yield* scan(chunk);
}

/**
 * Replaces the placeholders in a JSON text with the strings that were taken out. `opened` must have the order in which
 * the placeholders follow each other in the text.
 */
export function restored(json: Uint8Array, opened: Iterable<Diverted>): Uint8Array {
  const parts: Buffer[] = [];
  let left = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  for (const diverted of opened) {
    const at = left.indexOf(diverted.placeholder);
    if (at < 0) continue;
    parts.push(left.subarray(0, at), Buffer.from(JSON.stringify(diverted.text()).slice(1, -1), "latin1"));
    left = left.subarray(at + diverted.placeholder.length);
  }
  return Buffer.concat([...parts, left]);
}

/**
 * Puts strings back into the JSON of a parsed response, and masks API keys: the strings were taken out before API keys
 * were masked. If an object in the response had several fields with the same name, parsing kept only the last one. The
 * strings of the others then follow in a list, `repeated`, beside the `response`.
 */
export function restoredWithRepeated(
  json: Uint8Array,
  opened: readonly Diverted[],
  { redact }: Pick<Redactor, "redact">,
): Uint8Array {
  const text = Buffer.from(json).toString();
  const length = opened[0]?.placeholder.length;
  const listed = new Set(text.split('"').map((part) => part.slice(0, length)));
  const repeated = opened.filter(({ placeholder }) => !listed.has(placeholder));
  if (repeated.length === 0) return redactedBytes(restored(json, opened), redact);
  const list = JSON.stringify(repeated.map(({ placeholder }) => placeholder));
  const whole = Buffer.from(`{"response":${text.trimEnd()},"repeated":${list}}\n`);
  const all = [...opened.filter((one) => listed.has(one.placeholder)), ...repeated];
  return redactedBytes(restored(whole, all), redact);
}

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c];
const [list, listEnd, object, objectEnd] = [0x5b, 0x5d, 0x7b, 0x7d];

/** An object or a list that is not closed yet. */
interface Container {
  readonly isList: boolean;
  /** The last key of an object. */
  key: string;
}

/**
 * Follows the structure of JSON that arrives in chunks. It accepts any bytes: errors are found later, when the bytes
 * that stay in the response are parsed.
 */
class Scanner {
  readonly #path: readonly string[];
  readonly #open: () => Diverted | undefined;
  readonly #containers: Container[] = [];
  /** The next string is a key. */
  #isKeyNext = false;
  #string: "key" | "value" | Diverted | undefined;
  #key = "";
  /** The last chunk ended inside a string, with a backslash that escapes the next byte. */
  #isEscaped = false;
  /** The start of an escape sequence in a diverted string, if the last chunk ended in the middle of the sequence. */
  held = "";

  constructor(path: string, open: () => Diverted | undefined) {
    this.#path = path.split(".");
    this.#open = open;
  }

  /** Returns a copy of the bytes that stay in the response, with a placeholder for each string that is taken out. */
  scan(chunk: Buffer): Buffer {
    const kept: Buffer[] = [];
    for (let at = 0; at < chunk.length; ) {
      at = this.#string === undefined ? this.#skip(chunk, at, kept) : this.#readString(chunk, at, kept);
    }
    return Buffer.concat(kept);
  }

  /** Reads up to the next string. */
  #skip(chunk: Buffer, start: number, kept: Buffer[]): number {
    const containers = this.#containers;
    let at = start;
    for (; at < chunk.length && this.#string === undefined; at += 1) {
      const byte = chunk[at];
      if (byte === quote) this.#string = this.#isKeyNext ? "key" : this.#valueHere();
      else if (byte === object || byte === list) {
        containers.push({ isList: byte === list, key: "" });
        this.#isKeyNext = byte === object;
      } else if (byte === objectEnd || byte === listEnd) {
        containers.pop();
        this.#isKeyNext = false;
      } else if (byte === comma) this.#isKeyNext = containers.at(-1)?.isList === false;
    }
    kept.push(chunk.subarray(start, at));
    if (typeof this.#string === "object") kept.push(Buffer.from(this.#string.placeholder));
    return at;
  }

  #valueHere(): "value" | Diverted {
    const containers = this.#containers;
    const isHere =
      containers.length === this.#path.length &&
      containers.every(({ isList, key }, level) => this.#path[level] === (isList ? "*" : key));
    return (isHere ? this.#open() : undefined) ?? "value";
  }

  /** Reads a string up to and including its closing quote, or to the end of the chunk. */
  #readString(chunk: Buffer, start: number, kept: Buffer[]): number {
    const wasEscaped = this.#isEscaped;
    const end = this.#endOfString(chunk, start);
    const isEnd = end < chunk.length;
    const string = this.#string;
    if (typeof string === "object") {
      if (!this.#take(string, chunk.toString("latin1", start, end), isEnd)) {
        kept.push(Buffer.from(this.held, "latin1"));
        this.held = "";
        this.#string = "value";
        this.#isEscaped = wasEscaped;
        return start;
      }
      if (isEnd) string.end();
    } else {
      if (string === "key") this.#key += chunk.toString("latin1", start, end);
      kept.push(chunk.subarray(start, end));
    }
    if (!isEnd) return end;
    kept.push(chunk.subarray(end, end + 1));
    const container = this.#containers.at(-1);
    if (string === "key" && container) {
      container.key = unescaped(this.#key) ?? this.#key;
      this.#key = "";
      this.#isKeyNext = false;
    }
    this.#string = undefined;
    return end + 1;
  }

  /** The position of the quote that ends a string, or else the length of the chunk. */
  #endOfString(chunk: Buffer, start: number): number {
    for (let end = chunk.indexOf(quote, start); end >= 0; end = chunk.indexOf(quote, end + 1)) {
      if (this.#isEscapedAt(chunk, start, end)) continue;
      this.#isEscaped = false;
      return end;
    }
    this.#isEscaped = this.#isEscapedAt(chunk, start, chunk.length);
    return chunk.length;
  }

  #isEscapedAt(chunk: Buffer, start: number, at: number): boolean {
    let first = at;
    while (first > start && chunk[first - 1] === backslash) first -= 1;
    const isOdd = (at - first) % 2 === 1;
    return first === start && this.#isEscaped ? !isOdd : isOdd;
  }

  #take(string: Diverted, part: string, isEnd: boolean): boolean {
    const text = this.held + part;
    if (!text.includes("\\")) return string.write(text);
    const length = text.length - (isEnd ? 0 : (unfinishedEscape.exec(text)?.[0].length ?? 0));
    const plain = unescaped(text.slice(0, length));
    if (plain === undefined || !string.write(plain)) return false;
    this.held = text.slice(length);
    return true;
  }
}

/**
 * Matches an unfinished escape sequence at the end of a text: an unescaped backslash, alone or with `u` and up to three
 * hexadecimal digits.
 */
const unfinishedEscape = /(?<=(?:^|[^\\])(?:\\\\)*)\\(?:u[\da-f]{0,3})?$/i;

/** The text of a JSON string; undefined if it is not valid or not ASCII. */
function unescaped(text: string): string | undefined {
  const value = parseJson(`"${text}"`);
  return typeof value === "string" && !/[^\0-\x7f]/.test(value) ? value : undefined;
}
