import { CannotPrint, StoredElsewhere } from "../../core/errors.ts";
import { keep } from "../../media/keep.ts";
import type { Files, Sink } from "../../system/types.ts";
import { fallbackFolders } from "../report/kept-response.ts";

/** Keeps output that was paid for in a file, and returns its path. Throws `ResultLost` if it cannot be kept anywhere. */
export const keepResult = (output: Uint8Array, files: Files, now: number): Promise<string> =>
  keep(output, { folders: fallbackFolders(files), date: new Date(now), thing: "result" });

/**
 * Prints output that was paid for. If the sink fails, the output is read to its end, kept with `keepOutput`, and a
 * `StoredElsewhere` says where.
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
      chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
      if (failure) return;
      try {
        await stdout.write(chunk, options);
      } catch (error) {
        if (!(error instanceof CannotPrint)) throw error;
        failure = error;
      }
    },
  };
  // The failure to print comes first, because it says where the output is.
  const ended = await print(sink).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (failure) {
    const path = await keepOutput(Buffer.concat(chunks));
    const message = `${failure.message}. Saved to ${path} instead, because you were charged for it.`;
    throw new StoredElsewhere(message, { cause: ended?.error });
  }
  if (ended) throw ended.error;
}
