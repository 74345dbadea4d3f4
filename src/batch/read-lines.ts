/** A line of a file. */
export interface Line {
  /** Without its line feed. */
  readonly text: string;
  /** From 1. */
  readonly number: number;
  /** Bytes up to the end of the line. */
  readonly end: number;
  /** The file ends without a line feed after it. */
  readonly isOpen: boolean;
}

const lineFeed = 0x0a;

/** The lines of a file that is read in chunks. Memory: a chunk and a line. An empty line is a line; the end is none. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let held: Buffer[] = [];
  let number = 0;
  let position = 0;
  for await (const part of chunks) {
    const chunk = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    let start = 0;
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, start)) {
      const text =
        held.length === 0
          ? chunk.toString("utf8", start, at)
          : Buffer.concat([...held, chunk.subarray(start, at)]).toString("utf8");
      held = [];
      start = at + 1;
      number += 1;
      yield { text, number, end: position + start, isOpen: false };
    }
    // A copy: the chunk may be used again by its reader.
    if (start < chunk.length) held.push(Buffer.from(chunk.subarray(start)));
    position += chunk.length;
  }
  if (held.length > 0) {
    const text = Buffer.concat(held).toString("utf8");
    yield { text, number: number + 1, end: position, isOpen: true };
  }
}
