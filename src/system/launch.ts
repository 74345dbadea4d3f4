import { fstatSync, writeSync } from "node:fs";

/** The parts of the process that are needed before anything else is loaded. */
export const argv: readonly string[] = process.argv.slice(2);
export const { env } = process;

/** Whether stdout is a terminal, and its width. Does not open a pipe or a file as a stream, because that is slow. */
export function stdoutSize(): { readonly isTTY: boolean; readonly columns: number } {
  if (!fstatSync(1).isCharacterDevice()) return { isTTY: false, columns: 0 };
  const { isTTY = false, columns = 0 } = process.stdout;
  return { isTTY, columns };
}

/** Writes to stdout without opening it as a stream, and returns the exit code. A closed pipe is not a failure. */
export function writeStdout(text: string): number {
  try {
    writeAll(1, Buffer.from(text));
    return 0;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EPIPE") return 0;
    writeSync(2, `Error: the result cannot be written: ${error instanceof Error ? error.message : error}\n`);
    return 1;
  }
}

/** Writes all bytes to a file descriptor. A disk that becomes full accepts some of the bytes, and then no more. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}
