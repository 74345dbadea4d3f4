import { limitAfter } from "../core/values/durations.ts";
import type { JobHost } from "./host.ts";
import type { Stream } from "./journal.ts";

/** How many bytes of each stream may be queued for its reader. */
const maxWaiting = 16 * 1024 * 1024;

/**
 * How long to wait for a reader, in milliseconds, while the queue is full and nothing requires the job to end yet.
 * During this wait, gpuctl does not notice the end of the command.
 */
const longPatience = 600_000;

/** How long to wait for the last output to be read before gpuctl ends the rental, in milliseconds. */
const shortPatience = 250;

/** How long the reader may take once the job has to end, in milliseconds. */
const patience = 5_000;

interface ShownOptions {
  /** Aborted when the job has to end. */
  readonly ending: AbortSignal;
  /** The path of the log. */
  readonly log: string;
  /** Whether the log has all output. */
  readonly isLogged: () => boolean;
}

/** Output of one stream that has not been read yet. */
interface Queue {
  bytes: number;
  /** The oldest first. */
  readonly writes: Set<Promise<void>>;
  /** Resolves when all output that was added so far has been written. */
  last: Promise<void>;
}

const emptyQueue = (): Queue => ({ bytes: 0, writes: new Set(), last: Promise.resolve() });

/**
 * Passes on output to a reader that may be slow or stop reading, such as a pager. Such a reader must not keep a rental
 * from ending. So some output is queued in memory, and if the reader takes too long, the rest of the output is dropped.
 * The reader has less time once the job has to end.
 */
export function shownOutput(
  { output, endOutput, say }: Pick<JobHost, "output" | "endOutput" | "say">,
  { ending, log, isLogged }: ShownOptions,
) {
  const queues: Readonly<Record<Stream, Queue>> = { stdout: emptyQueue(), stderr: emptyQueue() };
  let isDropped = false;
  const isEmpty = () => queues.stdout.bytes === 0 && queues.stderr.bytes === 0;
  const allWritten = () => Promise.all([queues.stdout.last, queues.stderr.last]);
  const read = async (work: Promise<unknown>, longest?: AbortSignal): Promise<void> => {
    if (isDropped) return;
    const outcome = await firstOf(work, ending, patience, longest);
    if (outcome === "done" || isDropped) return;
    isDropped = true;
    say(
      `Warning: the output is not read, so gpuctl stops showing it. ${isLogged() ? "All output" : "A part of the output"} is in ${log}.`,
    );
  };
  return {
    output: async (...[stream, bytes]: Parameters<JobHost["output"]>): Promise<void> => {
      if (isDropped) return;
      const queue = queues[stream];
      // Writes one after the other: Node.js would combine waiting writes, and report them only when all have been read.
      const written = queue.last
        .then(() => (isDropped ? undefined : output(stream, bytes)))
        .catch(() => {})
        .then(() => {
          queue.bytes -= bytes.length;
          queue.writes.delete(written);
        });
      queue.bytes += bytes.length;
      queue.writes.add(written);
      queue.last = written;
      while (queue.bytes > maxWaiting && !isDropped) {
        const [oldest = written] = queue.writes;
        await read(oldest, limitAfter(longPatience));
      }
    },
    /** If all output was read, writes the last line, which is held back on a terminal while it is incomplete. */
    endIfRead: async (): Promise<void> => {
      if (!isEmpty()) await firstOf(allWritten(), AbortSignal.abort(), shortPatience);
      if (isEmpty() && !isDropped) await firstOf(endOutput(), AbortSignal.abort(), shortPatience);
    },
    /** Waits until the output has been read or dropped. If it has been read, also writes an incomplete last line. */
    end: async (): Promise<void> => {
      await read(allWritten());
      if (!isDropped) await read(endOutput());
    },
  };
}

/**
 * Waits for `work`. Once `ending` is aborted, waits at most `milliseconds` more. Gives up at once when `longest` is
 * aborted.
 */
async function firstOf(
  work: Promise<unknown>,
  ending: AbortSignal,
  milliseconds: number,
  longest?: AbortSignal,
): Promise<"done" | "late"> {
  const settled = new AbortController();
  const late = new Promise<"late">((resolve) => {
    const start = () => {
      const limit = limitAfter(milliseconds);
      limit.addEventListener("abort", () => resolve("late"), { signal: settled.signal });
    };
    longest?.addEventListener("abort", () => resolve("late"), { signal: settled.signal });
    if (ending.aborted) start();
    else ending.addEventListener("abort", start, { once: true, signal: settled.signal });
  });
  try {
    return await Promise.race([work.then(() => "done" as const), late]);
  } finally {
    settled.abort();
  }
}
