import type { Update } from "../../command-kit/context.ts";
import { type Settings, usesColor } from "../../config/settings.ts";
import { duration } from "../../core/values/durations.ts";
import { clip } from "../../output/display-width.ts";
import { oneLine } from "../../output/text.ts";
import type { Sink, System } from "../../system/types.ts";

/** The elapsed time is shown after this many milliseconds. */
const minShownTime = 2_000;

interface ProgressOptions extends Pick<Settings, "quiet" | "ci" | "color" | "dryRun"> {
  /** Up to `max` lines to show below the text. */
  readonly lines?: ((max: number) => readonly string[]) | undefined;
}

/** Terminal rows that `lines` must leave free: one for the text, and two for what was printed above the text. */
const freeRows = 3;

/**
 * Does some work and shows its progress on a terminal: a spinner and the elapsed time or, without animation (CI,
 * `TERM=dumb`, unknown width), a line for each new text. Prints nothing with `--quiet`, in a dry run, or if stderr is
 * not a terminal.
 */
export async function showProgress<Value>(
  text: string,
  work: (update: Update) => Promise<Value>,
  { quiet, ci, color, dryRun, lines = () => [] }: ProgressOptions,
  { io: { stderr, spinner }, env, clock: { now } }: System,
): Promise<Value> {
  if (!stderr.isTTY || quiet || dryRun) return work(() => {});
  if (ci || env.TERM === "dumb" || stderr.columns === 0) return work(lineByLine(text, stderr));
  const start = now();
  const shown = await spinner(text, {
    color: usesColor(color, true, env),
    suffix: () => {
      const elapsed = now() - start < minShownTime ? "" : duration(now() - start);
      // A line that wraps would move the lines below it.
      const below = lines(Math.max(0, stderr.rows - freeRows)).map((line) => clip(line, stderr.columns - 1));
      return [elapsed, ...below].join("\n");
    },
  });
  try {
    return await work(shown.update);
  } finally {
    shown.stop();
  }
}

/** Writes a text, and each changed text after it, on its own line. */
function lineByLine(text: string, { write }: Sink): Update {
  let last: string | undefined;
  const update: Update = (next) => {
    if (next !== last) void write(`${oneLine(next, false)}\n`);
    last = next;
  };
  update(text);
  return update;
}
