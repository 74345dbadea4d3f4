import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, SaveFailed, saveFailed } from "./save-failed.ts";
import { withTemporary } from "./temporary.ts";

/** Whether the folder is there. @throws {SaveFailed} when something else is, or nobody may look. */
async function exists(folder: string): Promise<boolean> {
  try {
    if ((await stat(folder)).isDirectory()) return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw saveFailed(folder, error);
  }
  throw new SaveFailed(folder, "is not a folder");
}

/** @throws {SaveFailed} naming the folder, when it is not there. */
export async function needFolder(folder: string): Promise<void> {
  if (!(await exists(folder))) throw new SaveFailed(folder, "no such folder");
}

/**
 * Makes the folder and those above it that are missing, one by one from the top: `mkdir` with `recursive`
 * never comes back below `/proc` on Node 20 and 24. Several processes may do this at once.
 *
 * @throws {SaveFailed}
 */
export async function makeFolder(folder: string): Promise<void> {
  if (await exists(folder)) return;
  const above = dirname(folder);
  if (above === folder) throw new SaveFailed(folder, "no such folder");
  await makeFolder(above);
  try {
    await mkdir(folder);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw saveFailed(folder, error);
    await needFolder(folder);
  }
}

/**
 * Proves, by writing a file and removing it, that something can be saved in the folder: to be asked before a
 * picture is paid for. With `makeFolders` a missing folder is well when the nearest one above it takes files.
 *
 * @throws {SaveFailed}
 */
export async function canSaveTo(folder: string, options: { makeFolders?: boolean } = {}): Promise<void> {
  if (!options.makeFolders) await needFolder(folder);
  let nearest = folder;
  while (!(await exists(nearest)) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  try {
    await withTemporary(nearest, new Uint8Array(1), async () => undefined);
  } catch (error) {
    // The folder is there: it is the file that is not found, as below /proc.
    throw codeOf(error) === "ENOENT" ? new SaveFailed(nearest, "takes no files") : saveFailed(nearest, error);
  }
}
