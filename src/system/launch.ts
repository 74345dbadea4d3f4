import { fstatSync, writeSync } from "node:fs";

/** The parts of the process that are needed before anything else is loaded. */
export const argv: readonly string[] = process.argv.slice(2);
export const { env } = process;

/** Whether stdout is a terminal, and its width. Does not open a pipe or a file as a stream, because that is slow. */
export function stdoutSize(): { readonly isTTY: boolean; readonly columns: number } {
  // `bigint` for the reason that `isFile` in terminal.ts gives.
  if (!fstatSync(1, { bigint: true }).isCharacterDevice()) return { isTTY: false, columns: 0 };
  const { isTTY = false, columns = 0 } = process.stdout;
  return { isTTY, columns };
}

/** Writes to stdout without opening it as a stream, and returns the exit code. A closed pipe is not a failure. */
export function writeStdout(text: string): number {
  try {
    const bytes = Buffer.from(text);
    // A disk that becomes full accepts some of the bytes, and then no more.
    for (let written = 0; written < bytes.length; ) written += writeSync(1, bytes, written);
    return 0;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EPIPE") return 0;
    writeSync(2, `Error: the result cannot be written: ${error instanceof Error ? error.message : error}\n`);
    return 1;
  }
}
