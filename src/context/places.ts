import { readFileSync, statSync } from "node:fs";
import process from "node:process";
import { Unavailable } from "./errors.ts";
import type { Permissions } from "./world.ts";

/** The current folder. Throws `Unavailable` when somebody deleted it. */
export function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new Unavailable("the current folder is gone", "Change to a folder that is there.");
  }
}

/** The text of a small file; nothing when there is none. */
export function readSettings(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR")) {
      return undefined;
    }
    throw cause;
  }
}

/** Who owns a file or a folder and what others may do with it; nothing when there is none. */
export function permissions(path: string): Permissions | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found && { owner: found.uid, mode: found.mode };
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOTDIR") return undefined;
    throw cause;
  }
}
