import { type Settings, usesColor } from "../../config/settings.ts";
import { CannotPrint, reasonOf } from "../../core/errors.ts";
import type { Data, Frames, Records, Result, Text } from "../../core/result.ts";
import type { View } from "../../core/view.ts";
import type { Filter } from "../../output/jq.ts";
import type { RenderOptions } from "../../output/render.ts";
import type { Sink, System } from "../../system/types.ts";
import type { Notes } from "./notes.ts";

/** Formats that are one document, however many records. */
const wholeFormats: ReadonlySet<string> = new Set(["json", "yaml"]);

export interface Printing {
  readonly settings: Settings;
  readonly system: System;
  readonly notes: Notes;
  /** Applied to the data before it is printed. */
  readonly filter: Filter | undefined;
}

/** Loads the renderer while a response is awaited. Rendering reports a failure to load. */
export async function prepare(view: View, { output }: Settings, terminal: boolean): Promise<void> {
  try {
    const { prepareTables } = await import("../../output/render.ts");
    if (output === "table") await prepareTables(view, terminal);
  } catch {}
}

/** Prints a result on stdout, and on stderr that a list is empty or that no record has a column. */
export async function print(result: Result, defaultView: View, printing: Printing): Promise<void> {
  const stdout = reportingErrors(printing.system.io.stdout);
  if ("bytes" in result) return stdout.write(result.bytes);
  if ("text" in result) return printText(result.text, stdout);
  if ("frames" in result) return printFrames(result, stdout, printing);
  if (!("data" in result || "records" in result)) return;
  const view = ("view" in result && result.view) || defaultView;
  if (printing.filter) await printFiltered(result, view, printing.filter, stdout, printing);
  else await printDrawn(result, view, stdout, printing);
  if ("until" in result) await result.until;
}

async function printFrames(result: Frames, stdout: Sink, { settings, system }: Printing): Promise<void> {
  const { showFrames } = await import("./frames.ts");
  const columns =
    settings.columns &&
    (await import("./shown-columns.ts")).shownColumns(result.view, settings.columns).columns;
  await showFrames(result, {
    settings,
    system: { ...system, io: { ...system.io, stdout } },
    renderOptions: () => ({ ...renderOptions(stdout, settings, system), columns }),
  });
}

async function printFiltered(
  result: Data | Records,
  view: View,
  filter: Filter,
  stdout: Sink,
  { notes }: Printing,
): Promise<void> {
  const { wholeOf } = await import("../../output/records.ts");
  const data = "records" in result ? await collected(result) : wholeOf(result, view);
  const { text, messages } = filter(data, stdout.isTTY);
  if (text !== "") await stdout.write(text);
  if (messages !== "") notes.say(messages);
}

async function printDrawn(
  result: Data | Records,
  view: View,
  stdout: Sink,
  { settings, system, notes }: Printing,
): Promise<void> {
  const { render } = await import("../../output/render.ts");
  const shown = settings.columns && (await import("./shown-columns.ts")).shownColumns(view, settings.columns);
  let count = 0;
  const pieces = render(result, view, {
    ...renderOptions(stdout, settings, system),
    columns: shown?.columns,
    observe: (records) => {
      count += records.length;
      shown?.observe(records);
    },
  });
  const whole = "records" in result && (view.kind === "document" || wholeFormats.has(settings.output));
  for await (const piece of whole ? await inFull(pieces, system) : pieces) await stdout.write(piece);
  if (settings.output === "table" && view.kind === "list" && count === 0) notes.say(view.empty);
  const note = shown?.note();
  if (note) notes.say(note);
}

/** Asked for at each rendering, because a terminal changes its width. */
const renderOptions = (stdout: Sink, settings: Settings, { env, clock }: System): RenderOptions => ({
  format: settings.output,
  header: settings.header,
  terminal: stdout.isTTY,
  width: stdout.columns,
  color: usesColor(settings.color, stdout.isTTY, env),
  now: clock.now(),
});

async function collected({ records }: Records): Promise<readonly unknown[]> {
  const batches: (readonly unknown[])[] = [];
  for await (const batch of records) batches.push(batch);
  return batches.flat();
}

/** A single document is printed completely or not at all. */
async function inFull(pieces: AsyncIterable<string>, { files }: System) {
  return (await import("./spool.ts")).spooled(pieces, files.folders.temporary);
}

/** The sink, whose failures become `CannotPrint`. */
const reportingErrors = (sink: Sink): Sink => ({
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

/** Streams text, without control sequences on a terminal, and ends it with a newline in any case. */
async function printText(text: Text["text"], stdout: Sink): Promise<void> {
  const { sanitizeStream } = await import("../../output/text.ts");
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
