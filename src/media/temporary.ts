import { closeSync, fdatasync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { codeOf, type SaveFailed, saveFailed } from "../core/errors.ts";
import { makeFolderSync } from "../core/files.ts";
import { uniqueHex } from "../core/text.ts";

/** Error codes of file systems that cannot flush a single file. The file is written anyway. */
export const cannotFlush = ["EINVAL", "ENOSYS", "ENOTSUP"];

/** A new name for an incomplete file. */
export const temporaryName = (folder: string): string => `${folder}/.gpuctl-${uniqueHex(24)}.part`;

interface OpenFile {
  readonly folder: string;
  readonly path: string;
  readonly fd: number;
}

/**
 * A temporary file that is written while a result arrives. The first write creates it, in the first folder that works.
 * If writing fails, it moves to the next folder. Writes are synchronous, so the file contains everything that was
 * appended, as long as a folder works.
 */
export class TemporaryWriter {
  #folders: readonly string[];
  #open: OpenFile | undefined;
  #isClosed = false;
  #failure: SaveFailed | undefined;
  #flush: Promise<Error | null> | undefined;
  size = 0;

  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** Undefined before the first write. */
  get path(): string | undefined {
    return this.#open?.path;
  }

  /** The first failure, if writing has failed in every folder. In that case, the file is incomplete. */
  get failure(): SaveFailed | undefined {
    return this.#folders.length === 0 ? this.#failure : undefined;
  }

  append(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    for (let [folder] = this.#folders; folder !== undefined; [folder] = this.#folders) {
      try {
        if (this.#open === undefined || this.#open.folder !== folder) this.#copyTo(folder);
        if (this.#open) writeAll(this.#open, bytes, this.size);
        this.size += bytes.length;
        return;
      } catch (error) {
        this.#failure ??= saveFailed(folder, error);
        this.#folders = this.#folders.slice(1);
      }
    }
  }

  /** Reads up to `length` bytes: fewer at the end of the file, and none if the file is not open. */
  read(at: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.size - at)));
    if (this.#open === undefined || this.#isClosed) return bytes.subarray(0, 0);
    return bytes.subarray(0, readSync(this.#open.fd, bytes, 0, bytes.length, at));
  }

  /**
   * Replaces everything from offset `at` on with `bytes`, which must be at least as long as what they replace. If they
   * cannot be written, restores the previous bytes and returns false.
   */
  replaceEnd(at: number, bytes: Buffer): boolean {
    if (this.#open === undefined) return false;
    const before = this.read(at, this.size - at);
    try {
      writeAll(this.#open, bytes, at);
    } catch {
      ftruncateSync(this.#open.fd, this.size);
      writeAll(this.#open, before, at);
      return false;
    }
    this.size = at + bytes.length;
    return true;
  }

  /**
   * Inserts bytes by writing a new file. `observe` gets all bytes of the new file in order. If the new file cannot be
   * written, keeps the old one and returns false.
   */
  insert(at: number, bytes: Buffer, observe: (bytes: Uint8Array) => void): boolean {
    if (this.#open === undefined) return false;
    try {
      this.#copyTo(this.#open.folder, { at, bytes, observe });
    } catch {
      return false;
    }
    this.size += bytes.length;
    return true;
  }

  /** Starts to flush the file to the disk. */
  startFlush(): void {
    const file = this.#open;
    if (file && !this.#isClosed) this.#flush = new Promise((resolve) => fdatasync(file.fd, resolve));
  }

  /**
   * Waits for the flush that `startFlush` started. Returns its failure, if any. The system reports a failed write only
   * once, so a later flush of the file may succeed, although the file is incomplete on the disk.
   */
  async flushFailure(): Promise<Error | undefined> {
    const failure = await this.#flush;
    return failure && !cannotFlush.includes(codeOf(failure)) ? failure : undefined;
  }

  close(): void {
    const file = this.#open;
    if (file && !this.#isClosed) {
      if (this.#flush) void this.#flush.then(() => closeSync(file.fd));
      else closeSync(file.fd);
    }
    this.#isClosed = true;
  }

  /** Removes the file, unless it was renamed. */
  discard(): void {
    if (this.#open === undefined) return;
    this.close();
    remove(this.#open);
    this.#open = undefined;
  }

  /** Continues in a new file, which gets the same bytes and, if given, the inserted ones. */
  #copyTo(
    folder: string,
    inserted?: { at: number; bytes: Buffer; observe: (bytes: Uint8Array) => void },
  ): void {
    if (this.#failure) makeFolderSync(folder);
    const path = temporaryName(folder);
    const next = { folder, path, fd: openSync(path, "wx+", 0o666) };
    let written = 0;
    const put = (bytes: Uint8Array) => {
      inserted?.observe(bytes);
      writeAll(next, bytes, written);
      written += bytes.length;
    };
    const copy = (from: number, to: number) => {
      for (let at = from; at < to; at += copySize) put(this.read(at, Math.min(copySize, to - at)));
    };
    try {
      copy(0, inserted?.at ?? this.size);
      if (inserted) {
        put(inserted.bytes);
        copy(inserted.at, this.size);
      }
    } catch (error) {
      closeSync(next.fd);
      remove(next);
      throw error;
    }
    this.discard();
    this.#open = next;
    this.#isClosed = false;
  }
}

const copySize = 256 * 1024;

function writeAll({ fd }: OpenFile, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, at + done);
  }
}

function remove({ path }: OpenFile): void {
  try {
    unlinkSync(path);
  } catch {}
}
