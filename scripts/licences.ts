import { readFileSync } from "node:fs";

/** What is compiled into the WebAssembly of a library, whose package holds only that library's own licence. */
const compiledIn: Readonly<Record<string, readonly string[]>> = {
  "jq-wasm": ["jq", "oniguruma"],
  "@jsquash/webp": ["libwebp"],
};

interface Library {
  readonly name: string | null;
  /** Its name, its licence and so on, as text. */
  readonly text: () => string;
}

/** The licences of libraries, and of what is compiled into them, one after the other. */
export const licencesOf = (libraries: readonly Library[]): string =>
  libraries
    .flatMap((library) => [library.text(), ...(compiledIn[library.name ?? ""] ?? []).map(compiledText)])
    .join("\n\n---\n\n");

function compiledText(name: string): string {
  const text = readFileSync(new URL(`../licences/${name}.txt`, import.meta.url), "utf8");
  return [`Name: ${name}`, "License Text:", "===", "", text.trim()].join("\n");
}
