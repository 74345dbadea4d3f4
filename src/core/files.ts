import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  promises,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, isAbsolute } from "node:path";

/**
 * The folder that an XDG variable names, or else `standard`. The XDG specification says to ignore relative paths, which
 * would name files in the current folder.
 */
export const xdgFolder = (named: string | undefined, standard: string): string =>
  named !== undefined && isAbsolute(named) ? named : standard;

/**
 * Writes a file that only the user may read. The write is atomic: a temporary file is written and then renamed. Creates
 * missing folders. On failure, throws an error with a `path`, and leaves the old file unchanged.
 */
export function writePrivateFile(path: string, contents: string | Uint8Array): void {
  replaceFile(path, contents, { flush: false });
}

/** Like `writePrivateFile`, but returns only after the contents have been flushed to the disk. */
export function writeDurableFile(path: string, contents: string): void {
  replaceFile(path, contents, { flush: true });
}

function replaceFile(
  path: string,
  contents: string | Uint8Array,
  { flush }: { readonly flush: boolean },
): void {
  makeFolderSync(dirname(path), 0o700);
  const temporary = `${path}.${Date.now().toString(36)}${Math.random().toString(36).slice(2)}`;
  try {
    writeFileSync(temporary, contents, { mode: 0o600, flag: "wx", flush });
    renameSync(temporary, path);
    if (flush) syncFolder(dirname(path));
  } catch (error) {
    throw withPath(error, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Adds the path to an error that has none, such as the error for a write to a full disk. */
const withPath = (error: unknown, path: string): unknown =>
  error instanceof Error && !("path" in error) ? Object.assign(error, { path }) : error;

/**
 * Writes a file that only the user may read, in an existing folder. The write is not atomic: it uses no temporary file,
 * which a killed process would leave behind. Removes what is at the path, and never follows a link. On failure, throws
 * an error with a `path`.
 */
export function createPrivateFile(path: string, contents: string): void {
  rmSync(path, { force: true });
  try {
    writeFileSync(path, contents, { mode: 0o600, flag: "wx" });
  } catch (error) {
    throw withPath(error, path);
  }
}

/**
 * Flushes a folder to the disk, so that a rename in it is durable. Does nothing on systems that do not support this.
 */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, "r");
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {}
}

/** The path is not a regular file but, for example, a pipe or a folder. */
export class NotRegularFile extends Error {
  override readonly name = "NotRegularFile";
  constructor(path: string) {
    super(`${path} is not a regular file`);
  }
}

/** Throws `NotRegularFile` if the path exists and is not a regular file. Opening a pipe, for example, would block. */
export function assertFile(path: string): void {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts && !facts.isFile()) throw new NotRegularFile(path);
}

/** Reads the text of a regular file. Throws `NotRegularFile`, or the error of the failed call. */
export async function readTextFile(path: string): Promise<string> {
  assertFile(path);
  return promises.readFile(path, "utf8");
}

/**
 * Creates a folder and its missing parents. Creates them one by one from the top: on Node.js 20 and 24, `mkdir` with
 * `recursive` never returns for a folder below `/proc`. Several processes can safely do this at the same time. Throws
 * the error of the failed call.
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
