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

const lineFeed = 0x0a;

/** The maximum number of bytes of a line that a batch itself has written. A longer line would not fit into a string. */
const maxOwnLine = 512 * 1024 * 1024;

/**
 * The lines of an output or a journal. Such a line may be longer than the limit for a line of an input, because it may
 * hold a long response.
 * @param name names the file in an error
 */
export const ownLinesOf = (chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Line> =>
  linesOf(chunks, name, maxOwnLine);

/**
 * The lines of a file that is read in chunks. Keeps only one chunk and one line in memory.
 * @param name names the file in an error
 * @throws UsageError for a line that is longer than `maxBytes`; the default is the limit of an input
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  maxBytes: number = inputLimits.bytes,
): AsyncGenerator<Line> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let number = 0;
  let position = 0;
  const line = (bytes: Buffer, end: number, isOpen: boolean): Line => {
    const text = bytes.toString("utf8");
    held = [];
    heldBytes = 0;
    number += 1;
    return { text, number, end, isOpen, isUtf8: !text.includes("\ufffd") || isUtf8(bytes) };
  };
  for await (const part of chunks) {
    const chunk = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    let start = 0;
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, start)) {
      const last = chunk.subarray(start, at);
      start = at + 1;
      yield line(held.length === 0 ? last : Buffer.concat([...held, last]), position + start, false);
    }
    position += chunk.length;
    if (start === chunk.length) continue;
    // Copies the rest, because the reader may reuse the chunk.
    held.push(Buffer.from(chunk.subarray(start)));
    heldBytes += chunk.length - start;
    if (heldBytes > maxBytes) {
      throw new UsageError(`${name}:${number + 1}: the line is longer than ${sizeText(maxBytes)}`);
    }
  }
  if (held.length > 0) yield line(Buffer.concat(held), position, true);
}
