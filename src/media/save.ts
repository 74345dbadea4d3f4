import { createReadStream } from "node:fs";
import * as fs from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, folderReason, SaveFailed, saveFailed, UsageError } from "../core/errors.ts";
import { suffixed } from "./filename.ts";
import { assertFolderExists, type Disk, flushed, makeFolder, type Pieces, withTemporary } from "./folders.ts";

/** A complete file under a temporary name. The code that wrote it also removes it. */
export interface TemporaryFile {
  readonly path: string;
  /** Size in bytes. */
  readonly bytes: number;
  /** In hexadecimal; undefined if no one asked for it. */
  readonly sha256: string | undefined;
}

/** A result to save: bytes, or a file to rename. */
export type Content = Uint8Array | TemporaryFile;

export interface SaveOptions {
  /** Replace an existing file. */
  readonly force?: boolean;
  /** Fail if the file exists, instead of choosing another name. */
  readonly failIfExists?: boolean;
  /** Create missing folders. */
  readonly makeFolders?: boolean;
}

/** For file systems without hard links: reserves the name with an empty file, then renames the temporary file to it. */
async function moveTo(path: string, temporary: string, disk: Disk): Promise<void> {
  await (await disk.open(path, "wx")).close();
  try {
    await disk.rename(temporary, path);
  } catch (error) {
    await disk.unlink(path).catch(() => undefined);
    throw error;
  }
}

/** Atomically gives the temporary file its name without replacing another file. Returns false if the name is taken. */
async function claim(path: string, temporary: string, disk: Disk): Promise<boolean> {
  try {
    // On file systems without hard links, `link` fails with various codes. If it fails for another reason, `moveTo`
    // fails with the same error.
    await disk.link(temporary, path).catch(() => moveTo(path, temporary, disk));
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/**
 * Writes content to a temporary file in the same folder, flushes it and renames it, so that the file is either complete
 * or absent. If the content is already in a temporary file, that file is flushed and renamed, or copied if it is on
 * another file system. An existing file is replaced only if `force` is set. Otherwise, the new file gets the next free
 * name (`cat-2.png`, `cat-3.png`), even if several processes save at once. With `failIfExists`, saving fails instead.
 *
 * @returns the path that was used.
 * @throws {SaveFailed} and leaves no partial file. A `UsageError` from reading the content is thrown unchanged.
 */
export async function save(
  path: string,
  content: Content | Pieces,
  options: SaveOptions = {},
  disk: Disk = fs,
): Promise<string> {
  const folder = dirname(path);
  await (options.makeFolders ? makeFolder(folder) : assertFolderExists(folder, path));
  if (options.force) await assertReplaceable(path);
  const place = async (temporary: string) => {
    let free = path;
    if (options.force) await disk.rename(temporary, path);
    else {
      for (let number = 2; !(await claim(free, temporary, disk)); number++) {
        if (options.failIfExists) {
          await assertReplaceable(path);
          throw new SaveFailed(path, "the file already exists; use --force to replace it");
        }
        free = suffixed(path, number);
      }
    }
    return free;
  };
  try {
    if (!("path" in content)) return await withTemporary(folder, content, place, disk);
    await flush(content.path, disk);
    return await place(content.path).catch((error: unknown) => {
      if (codeOf(error) !== "EXDEV") throw error;
      return withTemporary(folder, createReadStream(content.path), place, disk);
    });
  } catch (error) {
    // A `UsageError` is about the content, which is read from files.
    throw error instanceof UsageError ? error : saveFailed(path, error);
  }
}

/** Throws `SaveFailed` for a folder, and for a device or a pipe, which a rename would replace by a file. */
async function assertReplaceable(path: string): Promise<void> {
  const facts = await fs.stat(path).catch(() => undefined);
  if (facts && !facts.isFile()) {
    throw new SaveFailed(path, facts.isDirectory() ? folderReason : "not a regular file");
  }
}

async function flush(path: string, disk: Disk): Promise<void> {
  const file = await disk.open(path, "r+");
  try {
    await flushed(file);
  } finally {
    await file.close();
  }
}
