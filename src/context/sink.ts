import process from "node:process";
import type { Writable } from "node:stream";
import type { Sink } from "./world.ts";

type Stream = Writable & { isTTY?: boolean; columns?: number; rows?: number };

/**
 * A stream that is opened when it is first used. A reader of stdout that left ends the process quietly; one of stderr,
 * which is `optional`, is not missed.
 */
export function sink(open: () => Stream, { optional = false } = {}): Sink {
  let opened: Stream | undefined;
  const stream = (): Stream => {
    opened ??= open().on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE" && !optional) process.exit(0);
    });
    return opened;
  };
  return {
    get isTTY() {
      return stream().isTTY === true;
    },
    get columns() {
      return stream().columns ?? 0;
    },
    get rows() {
      return stream().rows ?? 0;
    },
    write: (chunk) =>
      new Promise((resolve, reject) => {
        stream().write(chunk, (error) => (error && !optional ? reject(error) : resolve()));
      }),
  };
}
