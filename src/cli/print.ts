import { CannotPrint, reasonOf } from "../commands/errors.ts";
import type { Sink, World } from "../context/world.ts";
import type { Answer, Data, Frames, Records } from "../output/answer.ts";
import type { Filter } from "../output/jq.ts";
import type { RenderOptions } from "../output/render.ts";
import type { View } from "../output/view.ts";
import { colored } from "./color.ts";
import type { Notes } from "./notes.ts";
import type { Settings } from "./settings.ts";

/** Formats that are one document however many records it holds. */
const wholeFormats: ReadonlySet<string> = new Set(["json", "yaml"]);

export interface Printing {
  readonly settings: Settings;
  readonly world: World;
  readonly notes: Notes;
  /** Stands between the data and stdout. */
  readonly filter: Filter | undefined;
}

/** Loads what will draw a result, while there is nothing else to do. Should that fail, drawing tells. */
export async function prepare(view: View, { output }: Settings): Promise<void> {
  try {
    const { prepareTables } = await import("../output/render.ts");
    if (output === "table") await prepareTables(view);
  } catch {}
}

/** Prints an answer on stdout, and on stderr that a list is empty or a column is in no record. */
export async function print(answer: Answer, usual: View, printing: Printing): Promise<void> {
  const stdout = telling(printing.world.stdout);
  if ("bytes" in answer) return stdout.write(answer.bytes);
  if ("text" in answer) return printText(answer.text, stdout);
  if ("frames" in answer) return printFrames(answer, stdout, printing);
  if (!("data" in answer || "records" in answer)) return;
  const view = ("view" in answer && answer.view) || usual;
  if (printing.filter) await printFiltered(answer, view, printing.filter, stdout, printing);
  else await printDrawn(answer, view, stdout, printing);
  if ("until" in answer) await answer.until;
}

async function printFrames(answer: Frames, stdout: Sink, { settings, world }: Printing): Promise<void> {
  const { showFrames } = await import("./frames.ts");
  const columns =
    settings.columns &&
    (await import("./shown-columns.ts")).shownColumns(answer.view, settings.columns).columns;
  await showFrames(answer, {
    settings,
    world: { ...world, stdout },
    look: () => ({ ...lookOf(stdout, settings, world), columns }),
  });
}

async function printFiltered(
  answer: Data | Records,
  view: View,
  filter: Filter,
  stdout: Sink,
  { notes }: Printing,
): Promise<void> {
  const { wholeOf } = await import("../output/records.ts");
  const data = "records" in answer ? await collected(answer) : wholeOf(answer, view);
  const { text, messages } = filter(data, stdout.isTTY);
  if (text !== "") await stdout.write(text);
  if (messages !== "") notes.say(messages);
}

async function printDrawn(
  answer: Data | Records,
  view: View,
  stdout: Sink,
  { settings, world, notes }: Printing,
): Promise<void> {
  const { render } = await import("../output/render.ts");
  const shown = settings.columns && (await import("./shown-columns.ts")).shownColumns(view, settings.columns);
  let count = 0;
  const pieces = render(answer, view, {
    ...lookOf(stdout, settings, world),
    columns: shown?.columns,
    observe: (records) => {
      count += records.length;
      shown?.observe(records);
    },
  });
  const whole = "records" in answer && (view.kind === "document" || wholeFormats.has(settings.output));
  for await (const piece of whole ? await inFull(pieces, world) : pieces) await stdout.write(piece);
  if (settings.output === "table" && view.kind === "list" && count === 0) notes.say(view.empty);
  const note = shown?.note();
  if (note) notes.say(note);
}

/** Where and how text is drawn now: a terminal changes its width. */
const lookOf = (stdout: Sink, settings: Settings, { env, now }: World): RenderOptions => ({
  format: settings.output,
  header: settings.header,
  terminal: stdout.isTTY,
  width: stdout.columns,
  color: colored(settings.color, stdout.isTTY, env),
  now: now(),
});

async function collected({ records }: Records): Promise<readonly unknown[]> {
  const batches: (readonly unknown[])[] = [];
  for await (const batch of records) batches.push(batch);
  return batches.flat();
}

/** One document is printed when all of it came, or not at all. */
async function inFull(pieces: AsyncIterable<string>, { folders }: World) {
  return (await import("./spool.ts")).spooled(pieces, folders.temporary);
}

/** The sink, whose failures say that they are about printing. */
const telling = (sink: Sink): Sink => ({
  isTTY: sink.isTTY,
  columns: sink.columns,
  rows: sink.rows,
  write: async (chunk) => {
    try {
      await sink.write(chunk);
    } catch (cause) {
      throw new CannotPrint(`the result cannot be written: ${reasonOf(cause)}`);
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
