import type { World } from "../context/world.ts";
import type { Frame, Frames } from "../output/answer.ts";
import { fitFrame, redraw } from "../output/frame.ts";
import { recordsOf } from "../output/records.ts";
import { type RenderOptions, render } from "../output/render.ts";
import { oneLine } from "../output/sanitize.ts";
import type { Settings } from "./settings.ts";

interface Place {
  readonly settings: Settings;
  readonly world: World;
  readonly look: () => RenderOptions;
}

/**
 * Shows what goes on changing, until the user ends it: redrawn in its place on a terminal; where nothing may move,
 * each time that it changed; as lines of JSON, every record of each look; as ids, each one when it is first seen.
 */
export async function showFrames({ frames, view }: Frames, { settings, world, look }: Place): Promise<void> {
  const { stdout, env, interrupted } = world;
  const draw: Draw = async (frame, changes) => {
    const pieces: string[] = [];
    for await (const piece of render(frame, view, { ...look(), ...changes })) pieces.push(piece);
    return pieces.join("");
  };
  const still = settings.quiet || settings.ci || env.TERM === "dumb" || stdout.columns === 0;
  const format: string = settings.output;
  const show =
    format === "jsonl" ? records : format === "id" ? freshIds : stdout.isTTY && !still ? live : again;
  try {
    await show(frames, draw, {
      settings,
      world,
      empty: (frame) => (recordsOf(frame, view).length === 0 ? view.empty : undefined),
    });
  } catch (error) {
    if (!interrupted.aborted) throw error;
  }
}

type Draw = (frame: Frame, changes?: Partial<RenderOptions>) => Promise<string>;
type Show = (frames: AsyncIterable<Frame>, draw: Draw, around: Around) => Promise<void>;

interface Around extends Omit<Place, "look"> {
  /** What is said of a list with nothing in it. */
  readonly empty: (frame: Frame) => string | undefined;
}

const live: Show = async (frames, draw, { empty, world: { stdout, hideCursor } }) => {
  const showCursor = await hideCursor();
  let before: readonly string[] = [];
  try {
    for await (const frame of frames) {
      const list = empty(frame)?.split("\n") ?? (await draw(frame)).trimEnd().split("\n");
      const under = [...frame.notes, "", frame.status].map((line) => oneLine(line, true));
      const { columns, rows } = stdout;
      const lines = fitFrame(list, under, { columns, rows });
      await stdout.write(redraw(before, lines, columns));
      before = lines;
    }
  } finally {
    showCursor();
  }
};

/** A frame is told from the last one by what a pipe gets: there, no time is told by how long ago it was. */
const again: Show = async (frames, draw, around) => {
  const { empty } = around;
  const { stdout, stderr } = around.world;
  const tell = telling(around);
  let before: string | undefined;
  for await (const frame of frames) {
    tell(frame);
    const seen = (await draw(frame, { terminal: false })) + frame.notes.join("\n");
    if (frame.failed || seen === before) continue;
    const notes = frame.notes.map((line) => `${oneLine(line, stdout.isTTY)}\n`).join("");
    const text = (await draw(frame)) + notes;
    if (text !== "") await stdout.write(before ? `\n${text}` : text);
    const nothing = empty(frame);
    if (nothing !== undefined && !around.settings.quiet) await stderr.write(`${nothing}\n`);
    before = seen;
  }
};

const records: Show = async (frames, _draw, around) => {
  const tell = telling(around);
  for await (const frame of frames) {
    tell(frame);
    if (frame.failed) continue;
    for (const record of [frame.data].flat()) await around.world.stdout.write(`${JSON.stringify(record)}\n`);
  }
};

const freshIds: Show = async (frames, draw, around) => {
  const tell = telling(around);
  const known = new Set<string>([""]);
  for await (const frame of frames) {
    tell(frame);
    if (frame.failed) continue;
    const fresh = (await draw(frame)).split("\n").filter((id) => !known.has(id));
    for (const id of fresh) {
      known.add(id);
      await around.world.stdout.write(`${id}\n`);
    }
  }
};

/** Says on stderr that looks fail, once until one goes well, and on a terminal how it is ended. */
function telling({ settings, world: { stderr } }: Around): (frame: Frame) => void {
  let failing = false;
  let first = stderr.isTTY;
  return ({ failed, status }) => {
    if (!settings.quiet && (first || (failed && !failing))) void stderr.write(`${oneLine(status, true)}\n`);
    first = false;
    failing = failed;
  };
}
