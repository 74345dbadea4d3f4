import type { Settings } from "../../config/settings.ts";
import type { Frame, Frames } from "../../core/result.ts";
import type { Column } from "../../core/view.ts";
import { escapedJson } from "../../output/json.ts";
import { recordsOf } from "../../output/records.ts";
import { type RenderOptions, render } from "../../output/render.ts";
import { fitFrame, screenOf } from "../../output/table/frame.ts";
import { oneLine } from "../../output/text.ts";
import type { System } from "../../system/types.ts";
import type { Runtime } from "../start/services.ts";
import { leftOutNote } from "./shown-columns.ts";

/**
 * Shows frames until the user interrupts. On a terminal, draws each frame over the last one, on the alternate screen.
 * Without animation, prints each frame that differs from the last one. `-o jsonl` prints all records of each frame, and
 * `-o id` prints each new ID.
 */
export async function showFrames(
  { frames, view }: Frames,
  { settings, system }: Pick<Runtime, "settings" | "system">,
  renderOptions: () => RenderOptions,
): Promise<void> {
  try {
    const renderFrames = rendererFor(settings, system);
    await renderFrames(frames, {
      settings,
      system,
      color: renderOptions().color,
      draw: async (frame, changes) => {
        const pieces: string[] = [];
        for await (const piece of render(frame, view, { ...renderOptions(), ...changes })) pieces.push(piece);
        return pieces.join("");
      },
      leftOut: (columns) => leftOutNote(columns, view, renderOptions().columns !== undefined),
      empty: (frame) => (recordsOf(frame, view).length === 0 ? view.empty : undefined),
    });
  } catch (error) {
    if (!system.interrupted.aborted) throw error;
  }
}

function rendererFor({ output, quiet, ci }: Settings, { env, io: { stdout } }: System): Renderer {
  if (output === "jsonl") return showRecords;
  if (output === "id") return showIds;
  const noAnimation = quiet || ci || env.TERM === "dumb" || stdout.columns === 0;
  return stdout.isTTY && !noAnimation ? showLive : showChanges;
}

type Renderer = (frames: AsyncIterable<Frame>, options: RendererOptions) => Promise<void>;

interface RendererOptions extends Pick<Runtime, "settings" | "system"> {
  readonly draw: (frame: Frame, changes?: Partial<RenderOptions>) => Promise<string>;
  /** The message for a frame whose list is empty; else undefined. */
  readonly empty: (frame: Frame) => string | undefined;
  /** Says which columns do not fit the terminal. */
  readonly leftOut: (columns: readonly Column[]) => string;
  readonly color: boolean;
}

/**
 * Draws on the alternate screen, and redraws when the window is resized. At the end, prints the last frame on the
 * shell's screen.
 */
const showLive: Renderer = async (frames, { draw, empty, leftOut, color, system }) => {
  const { stdout, fullScreen } = system.io;
  let current: Frame | undefined;
  const listOf = async (frame: Frame, changes?: Partial<RenderOptions>) =>
    empty(frame)?.split("\n") ?? (await draw(frame, changes)).trimEnd().split("\n");
  const drawCurrent = async () => {
    if (current === undefined) return;
    const { notes, status } = current;
    const hints: string[] = [];
    const list = await listOf(current, { onLeftOut: (columns) => hints.push(leftOut(columns)) });
    const footer = [...notes, "", ...hints, status].map((line) => oneLine(line, true));
    await stdout.write(screenOf(fitFrame(list, footer, stdout)), { drawn: true });
  };
  // Draws one frame at a time: the window may be resized while a frame is being drawn.
  let drawing = Promise.resolve();
  const redraw = () => {
    drawing = drawing.then(drawCurrent);
    return drawing;
  };
  // Ignores an error here: `redraw` in the loop below waits for this drawing, too, and throws its error.
  const restore = await fullScreen({ color, redraw: () => void redraw().catch(() => {}) });
  try {
    for await (const frame of frames) {
      current = frame;
      await redraw();
    }
  } finally {
    const last = current;
    current = undefined;
    await drawing.catch(() => {});
    restore();
    if (last) {
      const lines = [...(await listOf(last)), ...last.notes.map((line) => oneLine(line, true))];
      await stdout.write(textOf(lines), { drawn: true }).catch(() => {});
    }
  }
};

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

const showChanges: Renderer = async (frames, options) => {
  const { draw, empty, leftOut, settings, system } = options;
  const { stdout, stderr } = system.io;
  let previous: string | undefined;
  let hint = "";
  const onLeftOut = (columns: readonly Column[]) => {
    hint = leftOut(columns);
  };
  for await (const frame of reportFailures(frames, options)) {
    // Compares frames as drawn for a pipe: there, times are absolute, so they do not change as time passes.
    const content = (await draw(frame, { terminal: false })) + frame.notes.join("\n");
    if (content === previous) continue;
    const notes = frame.notes.map((line) => `${oneLine(line, stdout.isTTY)}\n`).join("");
    const hinted = hint;
    const text = (await draw(frame, { onLeftOut })) + notes;
    if (text !== "") await stdout.write(previous ? `\n${text}` : text, { drawn: true });
    if (hint !== hinted && stderr.isTTY && !settings.quiet) await stderr.write(`${hint}\n`);
    const message = empty(frame);
    if (message !== undefined && !settings.quiet) await stderr.write(`${message}\n`);
    previous = content;
  }
};

const showRecords: Renderer = async (frames, options) => {
  for await (const { data } of reportFailures(frames, options)) {
    for (const record of [data].flat()) {
      await options.system.io.stdout.write(`${escapedJson(record)}\n`);
    }
  }
};

const showIds: Renderer = async (frames, options) => {
  const known = new Set<string>([""]);
  for await (const frame of reportFailures(frames, options)) {
    for (const id of (await options.draw(frame)).split("\n").filter((one) => !known.has(one))) {
      known.add(id);
      await options.system.io.stdout.write(`${id}\n`);
    }
  }
};

/**
 * Yields the frames with new data. Reports only the first of several failures in a row. On a terminal, first prints the
 * status, which says how to quit.
 */
async function* reportFailures(
  frames: AsyncIterable<Frame>,
  { settings: { quiet }, system }: RendererOptions,
): AsyncGenerator<Frame> {
  const { stderr } = system.io;
  let failing = false;
  let isFirst = stderr.isTTY;
  for await (const frame of frames) {
    const { failed, stale, status } = frame;
    if (!quiet && (isFirst || (failed && !failing))) void stderr.write(`${oneLine(status, true)}\n`);
    isFirst = false;
    failing = failed;
    if (!stale) yield frame;
  }
}
