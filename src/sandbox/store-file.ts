import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes the file and the folders above it when they are not there yet, for the user alone.
 * The journals that SQLite puts beside the file take over its mode.
 */
export function prepareFile(file: string): void {
  makeFolder(dirname(resolve(file)));
  closeSync(openSync(file, "a", 0o600));
}

/** Walks up by hand: a recursive mkdir under /proc never returns. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const madeMeanwhile = error instanceof Error && "code" in error && error.code === "EEXIST";
    if (!madeMeanwhile) throw error;
  }
}
