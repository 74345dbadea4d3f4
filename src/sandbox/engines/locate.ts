import { createRequire } from "node:module";

/** The path of a package's main file, of a file in a package, or of one beside this code; undefined when absent. */
export function locate(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch {
    return undefined;
  }
}
