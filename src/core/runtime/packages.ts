import { createRequire } from "node:module";
import { basename } from "node:path";

/**
 * The path of a package's main file, of a file in a package, or of a file next to this code. Undefined if there is no
 * such file. In the single executable, the main file of a package is `NAME.wasm` next to this code.
 */
export function locate(name: string): string | undefined {
  const { resolve } = createRequire(import.meta.url);
  for (const one of [name, `./${basename(name)}.wasm`]) {
    try {
      return resolve(one);
    } catch {}
  }
  return undefined;
}
