import * as fs from "node:fs/promises";
import { dirname } from "node:path";
import { numbered } from "./extension.ts";
import { makeFolder, needFolder } from "./folders.ts";
import { codeOf, SaveFailed, saveFailed } from "./save-failed.ts";
import { type Disk, withTemporary } from "./temporary.ts";

export interface SaveOptions {
  /** Replace a file that is already there. */
  readonly force?: boolean;
  /** Take no other name when this one is taken, but fail. */
  readonly noOtherName?: boolean;
  /** Make the folders of the path that are missing. */
  readonly makeFolders?: boolean;
}

/** Takes the name with an empty file, then moves the bytes over it: for file systems without hard links. */
async function moveTo(path: string, temporary: string, disk: Disk): Promise<void> {
  await (await disk.open(path, "wx")).close();
  try {
    await disk.rename(temporary, path);
  } catch (error) {
    await disk.unlink(path).catch(() => undefined);
    throw error;
  }
}

/** Gives the bytes the name, whole or not at all and never in place of another file; `false` when it is taken. */
async function claim(path: string, temporary: string, disk: Disk): Promise<boolean> {
  try {
    // Systems refuse hard links with many codes; where the fault is another, moving meets it too.
    await disk.link(temporary, path).catch(() => moveTo(path, temporary, disk));
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

async function claimFree(path: string, temporary: string, disk: Disk): Promise<string> {
  let free = path;
  for (let number = 2; !(await claim(free, temporary, disk)); number++) free = numbered(path, number);
  return free;
}

async function claimOnly(path: string, temporary: string, disk: Disk): Promise<string> {
  if (await claim(path, temporary, disk)) return path;
  throw new SaveFailed(path, "it is there already, and --force was not given");
}

/**
 * Writes the bytes to a temporary file beside the path, flushes it and puts it there in one step, so that the
 * name never stands on half a file. A file already there is left alone unless `force` is given: a free name is
 * taken instead (`cat-2.png`, `cat-3.png`...), by any number of processes at once.
 *
 * @returns the path really used.
 * @throws {SaveFailed} when it cannot be done; nothing is left behind.
 */
export async function save(
  path: string,
  bytes: Uint8Array,
  options: SaveOptions = {},
  disk: Disk = fs,
): Promise<string> {
  const folder = dirname(path);
  await (options.makeFolders ? makeFolder(folder) : needFolder(folder));
  const place = async (temporary: string) => {
    if (!options.force) return (options.noOtherName ? claimOnly : claimFree)(path, temporary, disk);
    await disk.rename(temporary, path);
    return path;
  };
  try {
    return await withTemporary(folder, bytes, place, disk);
  } catch (error) {
    throw saveFailed(path, error);
  }
}
