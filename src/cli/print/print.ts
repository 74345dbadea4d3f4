import { type Settings, usesColor } from "../../config/settings.ts";
import { CannotPrint, codeOf, reasonOf, StoredElsewhere } from "../../core/errors.ts";
import { asciiTable, usesAscii } from "../../core/locale.ts";
import type { Data, Frames, Records, Result } from "../../core/result.ts";
import { stringifyExactly } from "../../core/values/exact-numbers.ts";
import type { Column, View } from "../../core/view.ts";
import type { Filter } from "../../output/jq.ts";
import type { RenderOptions } from "../../output/render.ts";
import type { Sink } from "../../system/types.ts";
import type { Runtime } from "../start/services.ts";

/** Formats that print one document for any number of records. */
const wholeFormats: ReadonlySet<string> = new Set(["json", "yaml"]);

export interface PrintOptions extends Omit<Runtime, "services"> {
  /** Applied to the data before it is printed. */
  readonly filter: Filter | undefined;
}

/** Loads the renderer while gpuctl waits for a response. Ignores a failure to load: rendering reports it. */
export async function preloadRenderer(view: View, { output }: Settings, terminal: boolean): Promise<void> {
  try {
    if (view.kind === "lines" && view.markdown && output === "table") {
      if (terminal) await import("../../output/markdown/draw.ts");
      return;
    }
    const { prepareTables } = await import("../../output/render.ts");
    if (output === "table") await prepareTables(view, terminal);
  } catch {}
}

/**
 * Prints a result on stdout, and notes on stderr, such as that a list is empty or that a column of `--columns` is in no
 * record. If writing to stdout fails, throws `CannotPrint`, or `StoredElsewhere` if the result was paid for. If the
 * result cannot be written as text, throws `CannotPrint`; data that was paid for is saved first. A closed pipe ends the
 * process silently, unless the result may have a failure or is bytes that were paid for. `printOrSay` and `forReader`
 * describe two more exceptions.
 */
export async function print(result: Result, defaultView: View, options: PrintOptions): Promise<void> {
  const { notes } = options;
  const { files, io, clock } = options.system;
  const printTo = async (sink: Sink) => {
    const stdout = inLocale(sink, options);
    const system = { ...options.system, io: { ...io, stdout } };
    await printResult(result, defaultView, { ...options, system }).catch(orCannotPrint);
  };
  const mayFail =
    ("failure" in result && result.failure !== undefined) ||
    ("failureAtEnd" in result && result.failureAtEnd !== undefined);
  const stdout = mayFail ? reportingClosedPipe(reportingErrors(io.stdout)) : reportingErrors(io.stdout);
  if (!("paid" in result && result.paid)) {
    const unread = mayFail ? undefined : notes.unreadContext();
    return unread === undefined ? printTo(stdout) : printOrSay(unread, stdout, printTo, io.stderr);
  }
  const { keepResult, printPaid } = await import("./paid.ts");
  const keep = (output: Uint8Array) => keepResult(output, files, clock.now());
  try {
    await printPaid(stdout, printTo, keep);
  } catch (error) {
    // A filter may fail before anything is printed, so the data is saved.
    if ("data" in result && !(error instanceof StoredElsewhere)) {
      const path = await keep(Buffer.from(`${stringifyExactly(result.data)}\n`));
      notes.setFailureContext(`The result was saved to ${path}.`);
    }
    throw error;
  }
}

/**
 * Prints a result. If the reader has closed the pipe, prints `line` on stderr, even with `--quiet`. The line says, for
 * example, that a rental was created.
 */
async function printOrSay(
  line: string,
  stdout: Sink,
  printTo: (sink: Sink) => Promise<void>,
  stderr: Sink,
): Promise<void> {
  try {
    await printTo(reportingClosedPipe(stdout));
  } catch (error) {
    if (!isClosedPipe(error)) throw error;
    await stderr.write(`${line}\n`);
  }
}

/** Whether a result could not be printed because the reader has closed the pipe. */
export const isClosedPipe = (error: unknown): boolean =>
  error instanceof CannotPrint && error.code === "EPIPE";

/**
 * Rethrows a `RangeError` as `CannotPrint`. JavaScript throws one if the result is nested too deeply or its text is too
 * long.
 */
function orCannotPrint(cause: unknown): never {
  if (!(cause instanceof RangeError)) throw cause;
  throw new CannotPrint(
    `the result cannot be written: it is too large or nested too deeply (${cause.message})`,
  );
}

async function printResult(result: Result, defaultView: View, options: PrintOptions): Promise<void> {
  const { system, filter } = options;
  const { stdout } = system.io;
  if ("bytes" in result) {
    const chunks = result.bytes instanceof Uint8Array ? [result.bytes] : result.bytes;
    // If the pipe is closed, bytes that were paid for are not lost: `printPaid` saves them, or they are still in the
    // files that the error names.
    const reportsClosedPipe = result.paid === true || result.kept === true;
    for await (const chunk of chunks) await stdout.write(chunk, { reportsClosedPipe });
    return;
  }
  if ("text" in result) {
    const { printText } = await import("./text.ts");
    const sink = result.needsReader ? forReader(stdout, system.io.stderr) : stdout;
    return printText(result, result.view ?? defaultView, {
      ...options,
      system: { ...system, io: { ...system.io, stdout: sink } },
    });
  }
  if ("frames" in result) return printFrames(result, options);
  if (!("data" in result || "records" in result)) return;
  const view = ("view" in result && result.view) || defaultView;
  if (filter) await printFiltered(result, view, filter, options);
  else
    await printRendered("records" in result ? await withoutSplits(result, options) : result, view, options);
  if ("until" in result) await result.until;
}

/** Masks secrets that are split between several records. */
async function withoutSplits(result: Records, { redactor }: PrintOptions): Promise<Records> {
  const { records, continued } = result;
  if (continued === undefined) return result;
  const { withoutSplitSecrets } = await import("./split-secrets.ts");
  return { ...result, records: withoutSplitSecrets(records, continued, redactor) };
}

async function printFrames(result: Frames, options: PrintOptions): Promise<void> {
  const { showFrames } = await import("./frames.ts");
  const columns = (await columnsFor(result.view, options))?.columns;
  await showFrames(result, options, () => ({ ...renderOptions(options), columns }));
}

/** Prints what a filter selects, but only after the filter has succeeded for all records. */
async function printFiltered(
  result: Data | Records,
  view: View,
  filter: Filter,
  { system, notes }: PrintOptions,
): Promise<void> {
  const { listsIn, wholeOf } = await import("../../output/records.ts");
  const { stdout } = system.io;
  const data = "records" in result ? result.records : wholeOf(result, view);
  const allMessages: string[] = [];
  async function* texts(): AsyncGenerator<string> {
    for await (const json of listsIn(data, filter.isForEachItem ? maxFilteredLength : undefined)) {
      const { text, messages } = await filter.run(json);
      if (messages !== "") allMessages.push(messages);
      yield text;
    }
  }
  const { spooled } = await import("./spool.ts");
  for await (const piece of spooled(texts(), system.files.folders.temporary)) {
    if (piece.length > 0) await stdout.write(piece);
  }
  if (allMessages.length > 0) notes.say(allMessages.join("\n"));
}

/** How many characters of a list are filtered at a time. */
const maxFilteredLength = 500_000;

async function printRendered(result: Data | Records, view: View, options: PrintOptions): Promise<void> {
  const { settings, system, notes } = options;
  const { render } = await import("../../output/render.ts");
  const shown = await columnsFor(view, options);
  let count = 0;
  let leftOut: readonly Column[] = [];
  const pieces = render(result, view, {
    ...renderOptions(options),
    columns: shown?.columns,
    onLeftOut: (columns) => {
      leftOut = columns;
    },
    observe: (records) => {
      count += records.length;
      shown?.observe(records);
    },
  });
  // A single document is printed completely or not at all.
  const whole = "records" in result && (view.kind === "document" || wholeFormats.has(settings.output));
  const complete = whole
    ? (await import("./spool.ts")).spooled(pieces, system.files.folders.temporary)
    : pieces;
  const drawn = settings.output === "table" || settings.output === "csv";
  for await (const piece of complete) await system.io.stdout.write(piece, { drawn });
  if (settings.output === "table" && view.kind === "list" && count === 0) notes.say(view.empty);
  if ("note" in result && result.note && settings.output === "table") notes.say(result.note);
  const note = shown?.note();
  if (note) notes.say(note);
  if (leftOut.length > 0 && view.kind === "list" && system.io.stderr.isTTY) {
    notes.say((await import("./shown-columns.ts")).leftOutNote(leftOut, view, shown !== undefined));
  }
}

/** The columns of `--columns`. */
const columnsFor = async (view: View, { settings: { columns } }: PrintOptions) =>
  columns && (await import("./shown-columns.ts")).shownColumns(view, columns);

/** Computed for each rendering, because the terminal's width may change. */
const renderOptions = ({ settings, system: { env, clock, io } }: PrintOptions): RenderOptions => ({
  format: settings.output,
  header: settings.header,
  terminal: io.stdout.isTTY,
  width: io.stdout.columns,
  color: usesColor(settings.color, io.stdout.isTTY, env),
  now: clock.now(),
});

/** The same sink with another `write`. */
const writing = (sink: Sink, write: Sink["write"]): Sink => ({
  isTTY: sink.isTTY,
  get columns() {
    return sink.columns;
  },
  get rows() {
    return sink.rows;
  },
  write,
});

/** The same sink, except that a closed pipe does not end the process: the write fails. */
const reportingClosedPipe = (sink: Sink): Sink =>
  writing(sink, (chunk, options) => sink.write(chunk, { ...options, reportsClosedPipe: true }));

/**
 * The same sink, for a text that needs a reader: a closed pipe makes the write fail. After any other failed write, such
 * as on a full disk, the command continues, because its work matters more than its text. A warning on stderr says so
 * once.
 */
function forReader(sink: Sink, stderr: Sink): Sink {
  let isReported = false;
  return writing(sink, async (chunk, options) => {
    try {
      await sink.write(chunk, { ...options, reportsClosedPipe: true });
    } catch (error) {
      if (!(error instanceof CannotPrint) || isClosedPipe(error)) throw error;
      if (isReported) return;
      isReported = true;
      await stderr.write(`Warning: ${error.message}. The command continues.\n`);
    }
  });
}

/** The same sink, except that a failed write throws `CannotPrint`. */
const reportingErrors = (sink: Sink): Sink =>
  writing(sink, async (chunk, options) => {
    try {
      await sink.write(chunk, options);
    } catch (cause) {
      const code = codeOf(cause);
      const reason = code === "EPIPE" ? "the pipe was closed" : reasonOf(cause);
      throw new CannotPrint(`the result cannot be written: ${reason}`, code);
    }
  });

/**
 * The same sink, except that a table on a terminal has only ASCII symbols if the locale is not UTF-8. What a filter
 * selects is data, so it stays unchanged.
 */
const inLocale = (sink: Sink, { filter, settings, system: { env } }: PrintOptions): Sink =>
  filter === undefined && settings.output === "table" && sink.isTTY && usesAscii(env)
    ? writing(sink, (chunk, options) =>
        sink.write(typeof chunk === "string" ? asciiTable(chunk) : chunk, options),
      )
    : sink;
