import { join } from "node:path";
import { readText } from "./files.ts";

/**
 * Caches the OpenAPI descriptions that were fetched. The state folder has one file for each URL, which only the user
 * can read. Never throws: a description that cannot be cached is fetched again.
 */
export function descriptionFiles(folder: () => string) {
  const path = (url: string): string => join(folder(), `description-${hash(url)}.json`);
  return {
    read: async (url: string): Promise<string | undefined> => {
      try {
        return readText(path(url));
      } catch {
        return undefined;
      }
    },
    write: async (url: string, text: string): Promise<void> => {
      try {
        (await import("../core/files.ts")).writePrivateFile(path(url), text);
      } catch {}
    },
  };
}

/** FNV-1a, which needs no library. Entries include their URL, so a collision is harmless. */
function hash(url: string): string {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(url)) value = Math.imul(value ^ byte, 0x01000193);
  return (value >>> 0).toString(16).padStart(8, "0");
}
