import { promises } from "node:fs";
import { dirname } from "node:path";
import { codeOf, SaveFailed, saveFailed } from "../core/errors.ts";
import { makeFolderSync } from "../core/files.ts";
import { cannotFlush, temporaryName } from "./temporary.ts";

/** The calls that write to a disk. Tests replace them to simulate a full disk, or a disk without hard links. */
export type Disk = Pick<typeof promises, "open" | "link" | "rename" | "unlink">;

/** The content of a file in chunks, so that it is never in memory as a whole. */
export type Pieces = AsyncIterable<Uint8Array | string>;

/**
 * Writes the content to a new temporary file in `folder`, flushes the file to the disk, and calls `use` with its path.
 * Afterwards, the temporary name is removed, even on failure.
 */
export async function withTemporary<T>(
  folder: string,
  content: Uint8Array | Pieces,
  use: (temporary: string) => Promise<T>,
  disk: Disk = promises,
): Promise<T> {
  const temporary = temporaryName(folder);
  const file = await disk.open(temporary, "wx", 0o666);
  try {
    try {
      for await (const piece of content instanceof Uint8Array ? [content] : content)
        await file.writeFile(piece);
      await flushed(file);
    } finally {
      await file.close();
    }
    return await use(temporary);
  } finally {
    await disk.unlink(temporary).catch(() => undefined);
  }
}

/** Flushes an open file to the disk. Does nothing if the file system cannot flush a file. */
export async function flushed(file: Pick<promises.FileHandle, "sync">): Promise<void> {
  await file.sync().catch((error: unknown) => {
    if (!cannotFlush.includes(codeOf(error))) throw error;
  });
}

/**
 * Whether a folder exists.
 * @throws {SaveFailed} if no folder can be created at the path: the path is not a folder, cannot be accessed, or is a
 * symbolic link whose target does not exist
 */
async function exists(folder: string): Promise<boolean> {
  try {
    if ((await promises.stat(folder)).isDirectory()) return true;
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw saveFailed(folder, error);
    // `readlink` follows a link that ends in a slash.
    const link = folder.replace(/(?<=.)[/\\]+$/, "");
    const target = await promises.readlink(link).catch(() => undefined);
    if (target === undefined) return false;
    throw new SaveFailed(link, `it is a symbolic link to ${target}, which does not exist`);
  }
  throw new SaveFailed(folder, "not a folder");
}

/**
 * Checks that a folder exists. If it is missing, the error also names `file`, the file to save in it.
 * @throws {SaveFailed}
 */
export async function assertFolderExists(folder: string, file = folder): Promise<void> {
  if (await exists(folder)) return;
  const name = file === folder ? "the folder" : `the folder ${folder}`;
  throw new SaveFailed(file, `${name} does not exist; create it first`);
}

/** Creates a folder and its missing parents. @throws {SaveFailed} that names the folder that cannot be created. */
export async function makeFolder(folder: string): Promise<void> {
  if (await exists(folder)) return;
  try {
    makeFolderSync(folder);
  } catch (error) {
    const at =
      error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : folder;
    if (codeOf(error) !== "EEXIST") throw saveFailed(at, error);
    await assertFolderExists(at);
  }
}

/**
 * Checks that files can be created in a folder, by creating one and removing it. Call it before anything is paid for.
 * With `makeFolders`, a missing folder passes if files can be created in the nearest existing folder above it. Without
 * it, the error for a missing folder names `file`, the file to save.
 *
 * @throws {SaveFailed}
 */
export async function assertWritable(
  folder: string,
  { makeFolders, file }: { readonly makeFolders?: boolean; readonly file?: string | undefined } = {},
): Promise<void> {
  if (!makeFolders) await assertFolderExists(folder, file);
  let existing = folder;
  while (!(await exists(existing)) && dirname(existing) !== existing) existing = dirname(existing);
  try {
    await withTemporary(existing, new Uint8Array(1), async () => undefined);
  } catch (error) {
    // The folder exists, so ENOENT means that no file can be created in it, as in /proc.
    throw codeOf(error) === "ENOENT"
      ? new SaveFailed(existing, "files cannot be created in this folder")
      : saveFailed(existing, error);
  }
}
