import { constants, createReadStream } from "node:fs";
import * as fs from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, UsageError } from "../core/errors.ts";

/** A file that is written only at its end. */
export interface AppendFile {
  readonly append: (text: string) => Promise<void>;
  /** Resolves when what was appended is on the disk. */
  readonly sync: () => Promise<void>;
  readonly size: () => Promise<number>;
  readonly truncate: (size: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * The files of a batch. `diskFiles` are the real files. The functions of `diskFiles` throw `UsageError` for a path that
 * is not a regular file, such as a pipe.
 */
export interface BatchFiles {
  /** Bytes of a file; undefined if it does not exist. */
  readonly size: (path: string) => Promise<number | undefined>;
  /** Reads a file from byte `start` to the end. A file that does not exist counts as empty. */
  readonly read: (path: string, start?: number) => AsyncIterable<Uint8Array>;
  /** Opens a file. Creates it if it does not exist. */
  readonly open: (path: string) => Promise<AppendFile>;
  /** Renames a file, and makes that durable. Replaces an existing file. */
  readonly rename: (from: string, to: string) => Promise<void>;
  readonly remove: (path: string) => Promise<void>;
}

/** How many bytes to read at once. */
const chunkSize = 256 * 1024;

export const diskFiles: BatchFiles = {
  size: async (path) => (await statOf(path))?.size,
  read: async function* (path, start = 0) {
    if ((await statOf(path)) === undefined) return;
    try {
      yield* createReadStream(path, { start, highWaterMark: chunkSize });
    } catch (error) {
      // Another process may just have removed the file.
      if (codeOf(error) !== "ENOENT") throw error;
    }
  },
  open: async (path) => {
    const isNew = (await statOf(path)) === undefined;
    // Does not use mode "a", because on some systems it does not allow truncating the file.
    const file = await fs.open(path, constants.O_RDWR | constants.O_CREAT);
    if (isNew) await syncFolder(path);
    let end = (await file.stat()).size;
    return {
      append: async (text) => {
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length; ) {
          const { bytesWritten } = await file.write(bytes, at, bytes.length - at, end);
          at += bytesWritten;
          end += bytesWritten;
        }
      },
      sync: () => file.datasync(),
      size: async () => (await file.stat()).size,
      truncate: async (size) => {
        await file.truncate(size);
        end = size;
      },
      close: () => file.close(),
    };
  },
  rename: async (from, to) => {
    await fs.rename(from, to);
    await syncFolder(to);
  },
  remove: (path) => fs.rm(path, { force: true }),
};

async function statOf(path: string) {
  const facts = await fs.stat(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (facts && !facts.isFile()) {
    throw new UsageError(`${path} is not a regular file`, { hint: "Nothing was sent. Name another file." });
  }
  return facts;
}

/** Makes the name of a file survive a power loss, on systems where a folder can be flushed. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await fs.open(dirname(path), "r");
    await folder.sync().finally(() => folder.close());
  } catch {
    // On Windows, a folder cannot be opened.
  }
}
