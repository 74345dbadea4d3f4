import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Replaces a file that only the user may read, in one step: a temporary file is renamed, so that no one reads half of
 * it. Creates missing folders. On failure it throws and leaves the old file.
 */
export function writePrivateFile(path: string, contents: string | Uint8Array): void {
  makeFolderSync(dirname(path), 0o700);
  const temporary = `${path}.${Date.now().toString(36)}${Math.random().toString(36).slice(2)}`;
  try {
    writeFileSync(temporary, contents, { mode: 0o600, flag: "wx" });
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/**
 * Makes a folder and the missing ones above it, one by one from the top: `mkdir` with `recursive` never returns below
 * `/proc` on Node 20 and 24. Several processes may do this at once. Throws the error of the call that failed.
 */
export function makeFolderSync(folder: string, mode?: number): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(folder) !== folder) makeFolderSync(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
