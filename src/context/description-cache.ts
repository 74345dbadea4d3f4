import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DescriptionCache } from "../client/description-cache.ts";

/**
 * Descriptions as files in the state folder, for the user alone, one for each address. A file is written beside its
 * place and moved there, so that nobody reads half of one. Without a folder that can be used nothing is kept.
 */
export function descriptionFiles(folder: () => string): DescriptionCache {
  const path = (url: string): string => join(folder(), `description-${nameOf(url)}.json`);
  return {
    // Every listing reads one: this way of reading is there already, the other has to be loaded.
    read: async (url) => {
      try {
        return readFileSync(path(url), "utf8");
      } catch {
        return undefined;
      }
    },
    write: async (url, text) => {
      try {
        await (await import("./whole-file.ts")).writeWhole(path(url), text);
      } catch {
        // It is asked for again.
      }
    },
  };
}

/** A hash (FNV-1a) that needs no library: what is kept names its address, so two of one name are no danger. */
function nameOf(url: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(url)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
