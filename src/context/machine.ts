import { constants } from "node:fs";
import { access, readFile, stat } from "node:fs/promises";
import { delimiter, join } from "node:path";
import process from "node:process";
import type { PathFacts } from "./context.ts";

const can = (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );

/** The path of a program that `PATH` leads to. */
export async function which(program: string): Promise<string | undefined> {
  const endings = process.platform === "win32" ? (process.env.PATHEXT ?? ".EXE").split(";") : [""];
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const path of folders.flatMap((folder) => endings.map((end) => join(folder, program + end)))) {
    const isFile = await stat(path).then(
      (found) => found.isFile(),
      () => false,
    );
    if (isFile && (await can(path, constants.X_OK))) return path;
  }
  return undefined;
}

/** What is known of a path; nothing when it is not there. */
export async function factsOf(path: string): Promise<PathFacts | undefined> {
  try {
    const found = await stat(path);
    return {
      mode: found.mode & 0o777,
      owner: found.uid,
      isFolder: found.isDirectory(),
      writable: await can(path, constants.W_OK),
    };
  } catch {
    return undefined;
  }
}

/** The text of a file; nothing when it cannot be read. */
export const readText = (path: string): Promise<string | undefined> =>
  readFile(path, "utf8").catch(() => undefined);
