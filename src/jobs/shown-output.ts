import { limitAfter } from "../core/values/durations.ts";
import type { JobHost } from "./host.ts";

/** How many bytes may wait for the reader of the output. */
const maxWaiting = 16 * 1024 * 1024;

/**
 * How long the reader may take while the job goes on, in milliseconds, if no more output can wait. Until it is read, the
 * end of the command is not noticed.
 */
const longPatience = 600_000;

/** How long to wait for the last output before the rental ends, in milliseconds. */
const shortPatience = 250;

/** How long the reader may take once the job has to end, in milliseconds. */
const patience = 5_000;

/**
 * Passes on output to a reader that may be slow or stop reading, such as a pager. Such a reader must not keep a rental
 * from ending: a part of the output waits in the memory and, once the job has to end, output that is not read is dropped.
 * It is still in the log. `ending` is aborted when the job has to end.
 */
export function shownOutput(
  { output, endOutput, say }: Pick<JobHost, "output" | "endOutput" | "say">,
  { ending, log }: { readonly ending: AbortSignal; readonly log: string },
) {
  let waiting = 0;
  let isDropped = false;
  let last: Promise<unknown> = Promise.resolve();
  const read = async (work: Promise<unknown>, longest?: AbortSignal): Promise<void> => {
    if (isDropped) return;
    const outcome = await firstOf(work, ending, patience, longest);
    if (outcome === "done" || isDropped) return;
    isDropped = true;
    say(`Warning: the output is not read, so the rest of it is not shown. It is in ${log}.`);
  };
  return {
    output: async (...[stream, bytes]: Parameters<JobHost["output"]>): Promise<void> => {
      if (isDropped) return;
      waiting += bytes.length;
      const written = output(stream, bytes).finally(() => {
        waiting -= bytes.length;
      });
      last = written;
      if (waiting > maxWaiting) await read(written, limitAfter(longPatience));
    },
    /** Ends the last line if all output was read. */
    endIfRead: async (): Promise<void> => {
      if (waiting > 0) await firstOf(last, AbortSignal.abort(), shortPatience);
      if (waiting === 0 && !isDropped) await read(endOutput());
    },
    /** Waits until the output was read or dropped, and ends the last line. */
    end: async (): Promise<void> => {
      await read(last);
      if (!isDropped) await read(endOutput());
    },
  };
}

/**
 * Waits for some work. Gives up this many milliseconds after the later of this call and the abortion of `ending`, or as
 * soon as `longest` is aborted.
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
