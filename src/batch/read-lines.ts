import { isUtf8 } from "node:buffer";
import { UsageError } from "../core/errors.ts";
import { inputLimits, sizeText } from "../core/values/input-limits.ts";

/** A line of a file. */
export interface Line {
  /** Without its line feed. */
  readonly text: string;
  /** From 1. */
  readonly number: number;
  /** How many bytes were read up to the end of the line, including its line feed. */
  readonly end: number;
  /** Whether this is the last line and has no line feed. */
  readonly isOpen: boolean;
  readonly isUtf8: boolean;
}

export const lineFeed = 0x0a;

/** The maximum number of bytes in a line of an output or a journal. A longer line would not fit into a string. */
const maxOwnLine = 512 * 1024 * 1024;

/**
 * The lines of an output or a journal. Such a line may be longer than the limit for a line of an input, because it may
 * hold a long response.
 * @param name names the file in an error
 */
export async function* ownLinesOf(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Line> {
  for await (const lines of linesOf(chunks, name, maxOwnLine)) yield* lines;
}

/**
 * The lines of a file that is read in chunks. Yields them in groups, because waiting for each line would take longer
 * than reading it. Callers must read a group to its end before they request the next one. Keeps only one chunk and one
 * line in memory.
 * @param name names the file in an error
 * @param maxBytes defaults to the limit for a line of an input
 * @throws UsageError if more than `maxBytes` of a line arrive before the chunk with its line feed
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  maxBytes: number = inputLimits.bytes,
): AsyncGenerator<Iterable<Line>> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let number = 0;
  let position = 0;
  /** Takes positions instead of a slice: a slice for each line would take memory until the next garbage collection. */
  const line = (bytes: Buffer, start: number, end: number, isOpen: boolean): Line => {
    const text = bytes.toString("utf8", start, end);
    number += 1;
    position += end - start + (isOpen ? 0 : 1);
    const isText = !text.includes("\ufffd") || isUtf8(bytes.subarray(start, end));
    return { text, number, end: position, isOpen, isUtf8: isText };
  };
  /** The lines that end in a chunk. Copies only the first one, and only if it begins in earlier chunks. */
  const linesIn = function* (chunk: Buffer, firstEnd: number): Generator<Line> {
    let [start, at] = [0, firstEnd];
    if (held.length > 0) {
      const first = Buffer.concat([...held, chunk.subarray(0, firstEnd)]);
      yield line(first, 0, first.length, false);
      start = firstEnd + 1;
      at = chunk.indexOf(lineFeed, start);
    }
    for (; at >= 0; at = chunk.indexOf(lineFeed, start)) {
      yield line(chunk, start, at, false);
      start = at + 1;
    }
  };
  for await (const part of chunks) {
    const chunk = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    const firstEnd = chunk.indexOf(lineFeed);
    const end = chunk.lastIndexOf(lineFeed) + 1;
    if (firstEnd >= 0) {
      yield linesIn(chunk, firstEnd);
      held = [];
      heldBytes = 0;
    }
    if (end === chunk.length) continue;
    // Copies the rest, because the reader may reuse the chunk.
    held.push(Buffer.from(chunk.subarray(end)));
    heldBytes += chunk.length - end;
    if (heldBytes > maxBytes) {
      throw new UsageError(`${name}:${number + 1}: the line is longer than ${sizeText(maxBytes)}`);
    }
  }
  if (held.length > 0) yield [line(Buffer.concat(held), 0, heldBytes, true)];
}
