import type { FileHandle } from "node:fs/promises";

/** The samples or frames in a file, without its headers and tags. */
export interface Sound {
  /** For people, such as `16-bit PCM, 1 channel, 22050 Hz`. Only sounds of equal format can be joined. */
  readonly format: string;
  /** Offsets in the file, in bytes. */
  readonly start: number;
  readonly end: number;
  /**
   * What comes before and after `length` bytes of this sound in a file. Throws `CannotJoin` if a file cannot hold that
   * many bytes.
   */
  readonly frame: (length: number) => { readonly head: Uint8Array; readonly tail: Uint8Array };
}

/** Recordings cannot be joined into one file. */
export class CannotJoin extends Error {
  override readonly name = "CannotJoin";
}

/**
 * The maximum number of chunks or tags that are read before the sound of a file. Real recordings have a few. A
 * malicious recording may have millions of empty chunks, and each of them takes a read of the disk.
 */
export const maxChunks = 1000;

/** Reads up to `length` bytes of a file; fewer at its end. */
export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(buffer, done, length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}
