import { CannotPrint, StoredElsewhere } from "../../core/errors.ts";
import { keep } from "../../media/keep.ts";
import type { Files, Sink } from "../../system/types.ts";
import { fallbackFolders } from "../report/kept-response.ts";

/** Saves paid-for output to a file, and returns its path. Throws `ResultLost` if it cannot be saved anywhere. */
export const keepResult = (output: Uint8Array, files: Files, now: number): Promise<string> =>
  keep(output, { folders: fallbackFolders(files), date: new Date(now), thing: "result" });

/**
 * Prints paid-for output. If `stdout` fails, reads the output to its end, saves it with `keepOutput`, and throws a
 * `StoredElsewhere` that says where it is.
 */
export async function printPaid(
  stdout: Sink,
  print: (sink: Sink) => Promise<void>,
  keepOutput: (output: Uint8Array) => Promise<string>,
): Promise<void> {
  const chunks: Uint8Array[] = [];
  let failure: CannotPrint | undefined;
  const sink: Sink = {
    isTTY: stdout.isTTY,
    get columns() {
      return stdout.columns;
    },
    get rows() {
      return stdout.rows;
    },
    write: async (chunk, options) => {
      // A copy, because the caller may use the same memory for the next chunk.
      chunks.push(Buffer.from(chunk));
      if (failure) return;
      try {
        await stdout.write(chunk, options);
      } catch (error) {
        if (!(error instanceof CannotPrint)) throw error;
        failure = error;
      }
    },
  };
  const ended = await print(sink).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (failure) {
    // Throws `StoredElsewhere` even if reading the output failed, too, because its message says where the output is.
    // The read error becomes the cause.
    const path = await keepOutput(Buffer.concat(chunks));
    const message = `${failure.message}. Saved to ${path} instead, because you were charged for it.`;
    throw new StoredElsewhere(message, { cause: ended?.error });
  }
  if (ended) throw ended.error;
}
