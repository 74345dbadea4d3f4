import type { Settings } from "../../config/settings.ts";
import type { Frame, Frames } from "../../core/result.ts";
import { recordsOf } from "../../output/records.ts";
import { type RenderOptions, render } from "../../output/render.ts";
import { fitFrame, redraw } from "../../output/table/frame.ts";
import { oneLine } from "../../output/text.ts";
import type { System } from "../../system/types.ts";
import type { Runtime } from "../start/services.ts";

/**
 * Shows frames until the user interrupts. A terminal redraws them in place. Without animation, each changed frame is
 * printed. `-o jsonl` prints all records of each frame, and `-o id` prints each new id.
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
  /** The message for an empty list; undefined for any other. */
  readonly empty: (frame: Frame) => string | undefined;
  readonly color: boolean;
}

const showLive: Renderer = async (frames, { draw, empty, color, system }) => {
  const { stdout, hideCursor } = system.io;
  const restore = await hideCursor({ color });
  let previous: readonly string[] = [];
  try {
    for await (const frame of frames) {
      const list = empty(frame)?.split("\n") ?? (await draw(frame)).trimEnd().split("\n");
      const footer = [...frame.notes, "", frame.status].map((line) => oneLine(line, true));
      const { columns, rows } = stdout;
      const lines = fitFrame(list, footer, { columns, rows });
      await stdout.write(redraw(previous, lines, columns));
      previous = lines;
    }
  } finally {
    restore();
  }
};

const showChanges: Renderer = async (frames, options) => {
  const { draw, empty, settings, system } = options;
  const { stdout, stderr } = system.io;
  let previous: string | undefined;
  for await (const frame of reportFailures(frames, options)) {
    // Compared as drawn for a pipe, where times are absolute and so do not change by themselves.
    const content = (await draw(frame, { terminal: false })) + frame.notes.join("\n");
    if (content === previous) continue;
    const notes = frame.notes.map((line) => `${oneLine(line, stdout.isTTY)}\n`).join("");
    const text = (await draw(frame)) + notes;
    if (text !== "") await stdout.write(previous ? `\n${text}` : text);
    const message = empty(frame);
    if (message !== undefined && !settings.quiet) await stderr.write(`${message}\n`);
    previous = content;
  }
};

const showRecords: Renderer = async (frames, options) => {
  for await (const { data } of reportFailures(frames, options)) {
    for (const record of [data].flat()) {
      await options.system.io.stdout.write(`${JSON.stringify(record)}\n`);
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
 * Yields the frames that hold something new. Of consecutive failures, reports only the first. On a terminal, first shows how to
 * quit.
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
