import { createRequire } from "node:module";

/**
 * The path of a package's main file, of a file in a package, or of a file next to this code. Undefined if there is no
 * such file.
 */
export function locate(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch {
    return undefined;
  }
}
