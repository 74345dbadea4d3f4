import type { Update } from "../context/context.ts";
import type { World } from "../context/world.ts";
import { duration } from "../output/durations.ts";
import { colored } from "./color.ts";
import type { Settings } from "./settings.ts";

interface Shown<Value> {
  readonly text: string;
  readonly work: (update: Update) => Promise<Value>;
}

/** Work that is done within so many milliseconds needs no clock beside it. */
const worthTelling = 2_000;

/**
 * Does some work and tells on a terminal that it is under way: with a spinner and the time that it has taken, or,
 * where nothing may move (CI, `TERM=dumb`), with a plain line for each new text. Silent with `--quiet` and in a pipe.
 */
export async function showProgress<Value>(
  { text, work }: Shown<Value>,
  { quiet, ci, color, dryRun }: Settings,
  { stderr, env, spinner, now }: World,
): Promise<Value> {
  if (!stderr.isTTY || quiet || dryRun) return work(() => {});
  if (ci || env.TERM === "dumb" || stderr.columns === 0) return work(lines(text, stderr));
  const start = now();
  const shown = await spinner(text, {
    color: colored(color, true, env),
    beside: () => (now() - start < worthTelling ? "" : duration(now() - start)),
  });
  try {
    return await work(shown.update);
  } finally {
    shown.stop();
  }
}

/** Writes a text, and each text after it that is another one, on a line of its own. */
function lines(text: string, { write }: World["stderr"]): Update {
  let last: string | undefined;
  const tell: Update = (next) => {
    if (next !== last) void write(`${next}\n`);
    last = next;
  };
  tell(text);
  return tell;
}
