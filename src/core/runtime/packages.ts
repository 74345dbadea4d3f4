import { createRequire } from "node:module";

/** The path of a package's main file, a file in a package, or a file beside this code; undefined when missing. */
export function locate(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch {
    return undefined;
  }
}
