import { readFileSync } from "node:fs";

/** The C libraries that are compiled into a package's WebAssembly. The packages do not contain their licenses. */
const compiledIn: Readonly<Record<string, readonly string[]>> = {
  "jq-wasm": ["jq", "oniguruma"],
  "@jsquash/jpeg": ["mozjpeg"],
  "@jsquash/webp": ["libwebp"],
};

interface Library {
  readonly name: string | null;
  /** Name, version, license and other details as text. */
  readonly text: () => string;
}

/** The licenses of all bundled libraries and of the code compiled into them. */
export const licensesOf = (libraries: readonly Library[]): string =>
  libraries
    .flatMap((library) => [library.text(), ...(compiledIn[library.name ?? ""] ?? []).map(compiledText)])
    .join("\n\n---\n\n");

function compiledText(name: string): string {
  const text = readFileSync(new URL(`../licenses/${name}.txt`, import.meta.url), "utf8");
  return [`Name: ${name}`, "License Text:", "===", "", text.trim()].join("\n");
}
