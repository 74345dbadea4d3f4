import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DescriptionCache } from "../client/description-cache.ts";

/**
 * Descriptions as files in the state folder, for the user alone, one for each address. A file is written beside its
 * place and moved there, so that nobody reads half of one. Without a folder that can be used nothing is kept.
 */
export function descriptionFiles(folder: () => string): DescriptionCache {
  const path = (url: string): string =>
    join(folder(), `description-${createHash("sha256").update(url).digest("hex").slice(0, 16)}.json`);
  return {
    read: async (url) => {
      try {
        return await readFile(path(url), "utf8");
      } catch {
        return undefined;
      }
    },
    write: async (url, text) => {
      let temporary: string | undefined;
      try {
        await makeFolder(folder());
        temporary = `${path(url)}.${randomUUID()}`;
        await writeFile(temporary, text, { mode: 0o600, flag: "wx" });
        await rename(temporary, path(url));
      } catch {
        if (temporary !== undefined) await rm(temporary, { force: true }).catch(() => {});
      }
    },
  };
}

/** Walks up by hand: a recursive mkdir under /proc never returns. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    await mkdir(folder, { mode: 0o700 });
  }
}
