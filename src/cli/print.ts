import { CannotPrint } from "../commands/errors.ts";
import type { Sink, World } from "../context/world.ts";
import type { Answer } from "../output/answer.ts";
import type { View } from "../output/view.ts";
import type { Settings } from "./settings.ts";

/** Prints an answer on stdout, and on stderr that a list is empty. */
export async function print(answer: Answer, view: View, settings: Settings, world: World): Promise<void> {
  const { stderr, env, now } = world;
  const stdout = telling(world.stdout);
  if ("bytes" in answer) return stdout.write(answer.bytes);
  if ("text" in answer) return printText(answer.text, stdout);
  if (!("data" in answer)) return;
  const { render, isEmpty } = await import("../output/render.ts");
  const pieces = render(answer, view, {
    format: settings.output,
    terminal: stdout.isTTY,
    width: stdout.columns,
    color: colored(settings.color, stdout.isTTY, env),
    now: now(),
  });
  for await (const piece of pieces) await stdout.write(piece);
  if (settings.output === "table" && view.kind === "list" && isEmpty(answer, view) && !settings.quiet) {
    await stderr.write(`${view.empty}\n`);
  }
  await answer.until;
}

/** The sink, whose failures say that they are about printing. */
const telling = (sink: Sink): Sink => ({
  isTTY: sink.isTTY,
  columns: sink.columns,
  write: async (chunk) => {
    try {
      await sink.write(chunk);
    } catch (cause) {
      throw new CannotPrint(
        `the result cannot be written: ${cause instanceof Error ? cause.message : cause}`,
      );
    }
  },
});

/** Text as it comes, free of terminal control sequences on a terminal, and ended by a line end in any case. */
async function printText(text: AsyncIterable<string>, stdout: World["stdout"]): Promise<void> {
  const { sanitizeStream } = await import("../output/sanitize.ts");
  let last = "\n";
  try {
    for await (const piece of stdout.isTTY ? sanitizeStream(text) : text) {
      if (piece === "") continue;
      await stdout.write(piece);
      last = piece;
    }
  } finally {
    if (!last.endsWith("\n")) await stdout.write("\n");
  }
}

function colored(wish: string, terminal: boolean, env: World["env"]): boolean {
  if (wish !== "auto") return wish === "always";
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return terminal && env.TERM !== "dumb";
}
