import { randomBytes } from "node:crypto";
import { UsageError } from "../../core/errors.ts";
import { asRecord, parseJson } from "../../core/json.ts";
import type { BatchFiles } from "../files.ts";
import {
  JournalCosts,
  JournalInvalid,
  journalLine,
  journalPath,
  type PromptSettings,
  type ReadRecord,
  type ResultRecord,
  readJournal,
} from "../journal.ts";
import { Ledger, type LineState } from "../ledger.ts";
import { lineFeed, ownLinesOf } from "../read-lines.ts";
import type { Shard } from "../shard.ts";
import { outputLine } from "./output.ts";
import { OwnJournal, Recorder } from "./recorder.ts";
import { unjournaledResults } from "./unjournaled.ts";

/** What the journal of a batch says. */
export interface Known {
  readonly ledger: Ledger;
  readonly costs: JournalCosts;
  /**
   * The shard that the journal belongs to; null without shards, and undefined if the journal is missing or has no
   * complete header.
   */
  readonly shard: Shard | null | undefined;
  /**
   * How many lines of the input belong to this output (with shards, only this shard's lines); undefined if no run has
   * read the input to its end.
   */
  readonly lines: number | undefined;
  /** How many results belonged to no line of the input when the last run began; 0 if the journal does not say. */
  readonly extra: number;
  /** Where the last run sent lines: an origin, or `sandbox`. Undefined if the journal does not say. */
  readonly service: string | undefined;
  /** The settings of the last run that had prompts. */
  readonly prompts: PromptSettings | undefined;
  /** Size of the journal in bytes, without a torn last line. */
  readonly journalEnd: number;
  /** Size of the journal in bytes, including a torn last line. */
  readonly journalSize: number;
  /** How many bytes of the output the journal accounts for. */
  readonly outputEnd: number;
  /** Whether the output still holds old results of lines that will be sent again. */
  readonly isUnclean: boolean;
  /** Whether a copy of the output may still have to replace the output. */
  readonly isCopyPending: boolean;
  /** A part of the name of the last copy. Undefined if there is no copy, or if an earlier version of gpuctl made it. */
  readonly copy: string | undefined;
  /** The file with old results; undefined if the batch has no such file. */
  readonly replaced: Replaced | undefined;
}

/** The file to which old results are moved from the output when their requests are sent again. */
interface Replaced {
  /** A part of its name; empty if the file has the name of the output, followed by `.replaced`. */
  readonly part: string;
  /** Its size in bytes; undefined if the journal does not say. */
  readonly end: number | undefined;
}

/** Reads the journal of an output. Throws `JournalInvalid` if the journal cannot be used. */
export async function readKnown(files: Pick<BatchFiles, "read">, out: string): Promise<Known> {
  const path = journalPath(out);
  const ledger = new Ledger();
  const costs = new JournalCosts();
  let shard: Shard | null | undefined;
  let lines: number | undefined;
  let extra = 0;
  let service: string | undefined;
  let copy: string | undefined;
  let replaced: Replaced | undefined;
  let prompts: PromptSettings | undefined;
  let [journalEnd, journalSize, outputEnd, isUnclean, isCopyPending] = [0, 0, 0, false, false];
  const chunks = async function* () {
    for await (const chunk of files.read(path)) {
      journalSize += chunk.length;
      yield chunk;
    }
  };
  for await (const { record, end } of readJournal(path, chunks())) {
    journalEnd = end;
    costs.add(record);
    if (record.event === "header") shard = record.shard;
    else if (record.event === "output") {
      [outputEnd, isUnclean] = [record.end, false];
      replaced = replaced && { ...replaced, end: record.replaced };
    } else if (record.event === "input") {
      lines = record.lines;
      extra = record.extra ?? 0;
      service = record.service ?? service;
      prompts = record.prompts ?? prompts;
    } else apply(ledger, record);
    if ("end" in record) outputEnd = record.end;
    if (record.event === "retry") {
      if (!isUnclean) {
        copy = record.copy;
        replaced = { part: record.replaced ?? "", end: undefined };
      }
      isUnclean = true;
    }
    isCopyPending = record.event === "output";
  }
  const copies = { outputEnd, isUnclean, isCopyPending, copy, replaced };
  return { ledger, costs, shard, lines, extra, service, prompts, journalEnd, journalSize, ...copies };
}

const stateAfter = {
  send: "sent",
  undo: "pending",
  retry: "pending",
  done: "done",
  failed: "failed",
  unknown: "unknown",
} as const satisfies Record<string, LineState>;

type LineRecord = Exclude<ReadRecord["record"], { readonly event: "header" | "input" | "output" }>;

function apply(ledger: Ledger, record: LineRecord): void {
  const entry = ledger.add(record.id);
  ledger.setState(entry, stateAfter[record.event]);
  if (record.event === "send") ledger.setRequest(entry, record.request);
}

/**
 * Returns the paths of the copy (the output without the removed results), and of the file that the complete copy
 * replaces. That file is the output or, if the output is a symbolic link, its target. The name of the copy is random,
 * so that it is not the name of a user's file.
 */
async function copyPaths(
  { files, out }: Pick<OpenOptions, "files" | "out">,
  copy: string | undefined,
): Promise<readonly [copy: string, replaced: string]> {
  // Earlier versions of gpuctl always used these two paths.
  if (copy === undefined) return [`${out}.new`, out];
  const target = await files.target(out);
  return [`${target}.new-${copy}`, target];
}

const inTheWay = (path: string): UsageError =>
  new UsageError(`${path} does not belong to this batch, but the batch needs a file with that name`, {
    hint: "Nothing was sent. Move that file, or pass another --out.",
  });

const replacedPath = (out: string, part: string): string => `${out}${part && `.${part}`}.replaced`;

/**
 * Returns the `part` of the name of the file that keeps old results: the `part` in the journal, or an empty one if the
 * journal has none. If a file with that name may be the user's, because the batch did not make the file or the file was
 * changed since, returns `other`.
 */
async function replacedPart(
  { files, out, known: { replaced } }: Pick<OpenOptions, "files" | "out" | "known">,
  other: string,
): Promise<string> {
  const { part = "", end = 0 } = replaced ?? {};
  const size = await files.size(replacedPath(out, part));
  const isOurs = size === undefined || (replaced && (replaced.end === undefined || size === end));
  return isOurs ? part : other;
}

interface OpenOptions {
  readonly files: BatchFiles;
  readonly out: string;
  readonly known: Known;
  readonly shard: Shard | null;
  /** The IDs of lines that have a result and are to be sent again. */
  readonly again: readonly string[];
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Called when a new journal has its header. If this throws, a journal that holds only the header is removed. */
  readonly assertSameShards?: () => Promise<void>;
}

/** The IDs of the lines that are in one of these states. */
export async function idsWith(
  files: Pick<BatchFiles, "read">,
  out: string,
  { ledger }: Pick<Known, "ledger">,
  states: readonly LineState[],
): Promise<readonly string[]> {
  const ids = new Set<string>();
  const path = journalPath(out);
  for await (const { record } of readJournal(path, files.read(path))) {
    if (!("id" in record)) continue;
    const entry = ledger.find(record.id);
    if (entry !== undefined && states.includes(ledger.state(entry))) ids.add(record.id);
  }
  return [...ids];
}

/** Brings the journal and the output up to date, no matter how the last run ended. */
export async function recoverBatch(
  options: Pick<OpenOptions, "files" | "out" | "now" | "sleep">,
): Promise<void> {
  const known = await readKnown(options.files, options.out);
  const batch = await openBatch({ ...options, known, shard: known.shard ?? null, again: [] });
  await batch.close();
}

export interface OpenBatch {
  readonly recorder: Recorder;
  /** Results that were in the output but not in the journal. */
  readonly adopted: readonly { readonly id: string; readonly event: ResultRecord["event"] }[];
  readonly close: () => Promise<void>;
}

/**
 * Opens the journal and the output, and brings them up to date, no matter how the last run ended: cuts off torn lines,
 * adds to the journal the results that are only in the output, and records an unknown outcome for requests that were in
 * flight. Then removes from the output the old results of requests that are sent again.
 * @throws InUse if another process has written to the journal since `known` was read
 * @throws JournalInvalid if the output does not match the journal
 * @throws UsageError if the output has an unexpected line, or if a file of the user is in the way
 */
export async function openBatch(options: OpenOptions): Promise<OpenBatch> {
  const { files, out, known, shard, again, now, sleep, assertSameShards } = options;
  const { ledger } = known;
  const path = journalPath(out);
  const journal = await files.open(path);
  const opened = [journal];
  let isRefused = false;
  try {
    const own = new OwnJournal(journal, known.journalSize);
    const write = (text: string) => own.write(text);
    await own.truncate(known.journalEnd);
    if (known.shard === undefined) {
      const header = journalLine({ event: "header", shard });
      await write(header);
      // Another run may have begun while this run checked the input. The run that writes its header last sees the
      // other run's journal.
      await assertSameShards?.().catch(async (error: unknown) => {
        // If this process was suspended, another process may have taken over the lock and written to the journal.
        isRefused = (await journal.size()) === Buffer.byteLength(header);
        throw error;
      });
    }
    if (known.isCopyPending) await replaceOutput(options);
    const adopted = await recover(options, write);
    await endInFlight(options, write);
    if (again.length > 0 || known.isUnclean) {
      // If the last run ended while it copied the output, the new copy replaces the incomplete one.
      const copy = known.isUnclean ? known.copy : randomBytes(8).toString("hex");
      const replaced = known.isUnclean ? known.replaced?.part : await replacedPart(options, copy ?? "");
      const records = again.map(
        (id, index) => ({ event: "retry", id, ...(index === 0 && { copy, replaced }) }) as const,
      );
      for (const record of records) apply(ledger, record);
      await write(records.map(journalLine).join(""));
      await removeLines(options, { copy, part: replaced ?? "" }, write);
    }
    const output = await files.open(out);
    opened.push(output);
    const recorder = await Recorder.create({ journal: own, output, now, sleep });
    return { recorder, adopted, close: () => closeAll(opened) };
  } catch (error) {
    await closeAll(opened);
    // A journal with only a header would block runs with another number of shards.
    if (isRefused) await files.remove(path);
    throw error;
  }
}

/** Completes the replacement of the output, if the last run ended right before it renamed the copy. */
async function replaceOutput(options: OpenOptions): Promise<void> {
  const { files, known } = options;
  const [copy, replaced] = await copyPaths(options, known.copy);
  const size = await files.size(copy);
  if (size === undefined) return;
  if (size !== known.outputEnd) throw inTheWay(copy);
  await files.rename(copy, replaced);
}

async function closeAll(files: readonly { readonly close: () => Promise<void> }[]): Promise<void> {
  for (const file of files) await file.close();
}

/** Cuts off a torn line of the output, and adds to the journal the results that are only in the output. */
async function recover(
  { files, out, known: { outputEnd, ledger, costs } }: OpenOptions,
  write: (text: string) => Promise<void>,
): Promise<OpenBatch["adopted"]> {
  const found = await files.size(out);
  const size = found ?? 0;
  if (size < outputEnd) {
    throw new JournalInvalid(
      found === undefined
        ? `${out} is missing, but its journal says that it has ${outputEnd} bytes`
        : `${out} has ${size} bytes, but its journal says that there are ${outputEnd}: the output was changed, or the disk lost a part of it`,
    );
  }
  if (outputEnd > 0 && !(await endsLine(files.read(out, outputEnd - 1)))) {
    // Cutting off what follows would leave a line without its end, and the next result would be added to that line.
    throw new JournalInvalid(
      `${out}: its journal says that a line ends at byte ${outputEnd}, but none does: the output was changed, or the disk lost a part of it`,
    );
  }
  const adopted: OpenBatch["adopted"][number][] = [];
  if (size === outputEnd) return adopted;
  let end = outputEnd;
  let text = "";
  const isInFlight = (id: string) => costs.inFlight.has(id);
  for await (const { id, event, ...line } of unjournaledResults({ files, out, outputEnd, isInFlight })) {
    end = line.end;
    const cost = event === "failed" ? undefined : costs.inFlight.get(id);
    const record = { event, id, cost, end, code: undefined } as const;
    text += journalLine(record);
    costs.add(record);
    apply(ledger, record);
    adopted.push({ id, event });
  }
  const output = await files.open(out);
  try {
    await output.truncate(end);
    await output.sync();
  } finally {
    await output.close();
  }
  if (text !== "") await write(text);
  return adopted;
}

/** Whether the first byte is a line feed. */
async function endsLine(chunks: AsyncIterable<Uint8Array>): Promise<boolean> {
  for await (const [byte] of chunks) return byte === lineFeed;
  return false;
}

/** Records an unknown outcome for requests that were in flight when the last run ended. */
async function endInFlight(
  { files, out, known: { ledger, costs } }: OpenOptions,
  write: (text: string) => Promise<void>,
): Promise<void> {
  const [code, message] = [
    "RUN_ENDED",
    "the run ended while the request was in flight: the request may have been done and charged",
  ];
  const output = await files.open(out);
  try {
    let end = await output.size();
    let [lines, text] = ["", ""];
    for (const [id, cost] of [...costs.inFlight]) {
      const line = outputLine(id, { error: { code, message } });
      end += Buffer.byteLength(line);
      lines += line;
      const record = { event: "unknown", id, cost, end, code } as const;
      text += journalLine(record);
      costs.add(record);
      apply(ledger, record);
    }
    if (lines === "") return;
    await output.append(lines);
    await output.sync();
    await write(text);
  } finally {
    await output.close();
  }
}

/** The number of characters that are collected before they are written. */
const blockLength = 256 * 1024;

/**
 * Removes from the output the old results of lines that will be sent again. Moves them to a file next to the output,
 * because they may have been paid for. After a crash at any point, it is safe to call this again.
 */
async function removeLines(
  { files, out, known: { ledger } }: OpenOptions,
  { copy, part }: { readonly copy: string | undefined; readonly part: string },
  write: (text: string) => Promise<void>,
): Promise<void> {
  const [newPath, target] = await copyPaths({ files, out }, copy);
  await files.remove(newPath);
  const kept = await files.open(newPath, { like: target });
  const replaced = await files.open(replacedPath(out, part), { like: target });
  let end = 0;
  let replacedEnd = 0;
  let block = "";
  const writeBlock = async () => {
    await kept.append(block);
    block = "";
  };
  try {
    for await (const { text } of ownLinesOf(files.read(out), out)) {
      const { custom_id: id } = asRecord(parseJson(text));
      const entry = typeof id === "string" ? ledger.find(id) : undefined;
      if (entry !== undefined && ledger.state(entry) === "pending") {
        await replaced.append(`${text}\n`);
        continue;
      }
      block += `${text}\n`;
      end += Buffer.byteLength(text) + 1;
      if (block.length > blockLength) await writeBlock();
    }
    await writeBlock();
    await replaced.sync();
    await kept.sync();
    replacedEnd = await replaced.size();
  } finally {
    await closeAll([kept, replaced]);
  }
  await write(journalLine({ event: "output", end, replaced: replacedEnd }));
  await files.rename(newPath, target);
}
