import { constants } from "node:fs";
import * as fs from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, DiskFailed, diskReason, reasonOf, saveFailed, UsageError } from "../core/errors.ts";

/**
 * A file that is written only at its end. If the disk fails, `append`, `sync`, `size` and `truncate` throw
 * `DiskFailed`.
 */
export interface AppendFile {
  readonly append: (text: string) => Promise<void>;
  /** Resolves when all appended text is on the disk. */
  readonly sync: () => Promise<void>;
  readonly size: () => Promise<number>;
  /** Whether the file is still at the path at which it was opened: it was neither removed nor replaced. */
  readonly isInPlace: () => Promise<boolean>;
  readonly truncate: (size: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * The files of a batch. `diskFiles` are the real files. Their `size`, `read` and `open` throw `UsageError` for a path
 * that is not a regular file, such as a pipe, and `SaveFailed` for a path that cannot be looked up. `read`, `open` and
 * `rename` also throw `UsageError` for a file that cannot be read, opened or replaced. Call these functions before
 * anything is sent: every `UsageError` says that nothing was sent.
 */
export interface BatchFiles {
  /** The size of a file in bytes; undefined if the file does not exist. */
  readonly size: (path: string) => Promise<number | undefined>;
  /**
   * Reads a file from byte `start` to the end. A file that does not exist counts as empty. A chunk may be overwritten
   * when the next one is read.
   */
  readonly read: (path: string, start?: number) => AsyncIterable<Uint8Array>;
  /** The target of a symbolic link; any other path unchanged. Throws `UsageError` if the target does not exist. */
  readonly target: (path: string) => Promise<string>;
  /** Opens a file. Creates it if it does not exist, with the permissions of the file `like` if that is set. */
  readonly open: (path: string, options?: { readonly like: string }) => Promise<AppendFile>;
  /** Renames a file durably. Replaces an existing file. */
  readonly rename: (from: string, to: string) => Promise<void>;
  readonly remove: (path: string) => Promise<void>;
}

/** How many bytes to read at once. */
const chunkSize = 256 * 1024;

interface ReadOptions {
  readonly start?: number;
  /** The error to throw if the file cannot be opened or read. */
  readonly failed: (error: unknown) => Error;
}

/** Throws the error of `failed` if the file cannot be opened. */
export async function assertReadable(path: string, failed: ReadOptions["failed"]): Promise<void> {
  await (await opened(path, failed)).close();
}

const opened = (path: string, failed: ReadOptions["failed"]) =>
  fs.open(path).catch((error: unknown) => {
    throw failed(error);
  });

/**
 * Reads a file from byte `start` to the end. Every chunk overwrites the one before: V8 frees buffers so late that a new
 * buffer for each chunk would take as much memory as the file.
 */
export async function* chunksOf(
  path: string,
  { start = 0, failed }: ReadOptions,
): AsyncGenerator<Uint8Array> {
  const file = await opened(path, failed);
  try {
    const buffer = Buffer.allocUnsafeSlow(chunkSize);
    // A pipe can be read only without a position.
    for (let position = start > 0 ? start : null; ; ) {
      const { bytesRead } = await file.read(buffer, 0, chunkSize, position).catch((error: unknown) => {
        throw failed(error);
      });
      if (bytesRead === 0) return;
      if (position !== null) position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

export const diskFiles: BatchFiles = {
  size: async (path) => (await statOf(path))?.size,
  read: async function* (path, start = 0) {
    if ((await statOf(path)) === undefined) return;
    const failed = (error: unknown) =>
      error instanceof Error && codeOf(error) === "ENOENT" ? error : cannot("read", path, error);
    try {
      yield* chunksOf(path, { start, failed });
    } catch (error) {
      // Another process may just have removed the file.
      if (codeOf(error) !== "ENOENT") throw error;
    }
  },
  target: async (path) => {
    const target = await fs.readlink(path).catch(() => undefined);
    if (target === undefined) return path;
    return fs.realpath(path).catch((error: unknown) => {
      throw new UsageError(`${path} is a symbolic link to ${target}: ${reasonOf(error)}`, {
        hint: "Nothing was sent. If the target is on another file system, mount it.",
      });
    });
  },
  open: async (path, options) => {
    const isNew = (await statOf(path)) === undefined;
    const like = isNew && options ? await statOf(options.like) : undefined;
    // Does not use mode "a", because on some systems that mode does not allow truncating the file.
    const mode = like && permissions(like);
    const file = await fs.open(path, constants.O_RDWR | constants.O_CREAT, mode).catch((error: unknown) => {
      throw cannot("open", path, error);
    });
    const written = (error: unknown): never => {
      throw new DiskFailed("write", path, error);
    };
    const facts = await file.stat();
    // The process's umask may have removed permissions.
    if (mode !== undefined && mode !== permissions(facts)) await file.chmod(mode);
    if (isNew) await syncFolder(path);
    let end = facts.size;
    return {
      append: async (text) => {
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length; ) {
          const { bytesWritten } = await file.write(bytes, at, bytes.length - at, end).catch(written);
          at += bytesWritten;
          end += bytesWritten;
        }
      },
      sync: () => file.datasync().catch(written),
      size: async () => (await file.stat().catch(written)).size,
      isInPlace: async () => {
        const own = await file.stat({ bigint: true });
        const found = await fs.stat(path, { bigint: true }).catch(() => undefined);
        return found?.ino === own.ino && found.dev === own.dev;
      },
      truncate: async (size) => {
        await file.truncate(size).catch(written);
        end = size;
      },
      close: () => file.close(),
    };
  },
  rename: async (from, to) => {
    await fs.rename(from, to).catch((error: unknown) => {
      throw cannot("replace", to, error);
    });
    await syncFolder(to);
  },
  remove: (path) => fs.rm(path, { force: true }),
};

/** For a batch without files: a dry run without `--out`. All files count as empty. */
export const noFiles: BatchFiles = {
  ...diskFiles,
  size: async () => undefined,
  read: async function* () {},
};

const cannot = (action: "read" | "open" | "replace", path: string, error: unknown): UsageError =>
  new UsageError(`cannot ${action} ${path}: ${diskReason(error)}`, { hint: "Nothing was sent." });

const permissions = ({ mode }: { readonly mode: number }): number => mode & 0o777;

async function statOf(path: string) {
  const facts = await fs.stat(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw saveFailed(path, error);
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
