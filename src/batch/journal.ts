import { crc32 } from "node:zlib";
import { asRecord, isRecord, parseJson } from "../core/json.ts";
import { decimalText, type Money, parseMoney } from "../core/values/money.ts";
import { ownLinesOf } from "./read-lines.ts";
import { isShard, type Shard } from "./shard.ts";

/**
 * The journal of a batch says what was sent and what became of it. It is a file of JSON lines beside the output, and is
 * only appended to. Each line ends with the field `sum`: the CRC-32 of everything before it in the line, as eight
 * hexadecimal digits, so that a line that was torn by a crash is recognized.
 *
 * - The first line is the header: `{"journal":"batch","version":1,"shard":{"index":0,"count":8},"sum":...}`; `shard` is
 *   null without shards.
 * - Each run writes `input` before it sends anything. `input` says how many lines of the input belong to this output,
 *   how many results belong to none of them, to which service the lines are sent, and which model the prompts use. In
 *   a journal that an earlier version of gpuctl wrote, `input` says only the number of lines.
 * - Before a request is sent, its `send` is on the disk. Later, one of the results `done`, `failed` and `unknown`
 *   follows, or `undo` if nothing was done. If none of them follows, the request was in flight when the run ended, and
 *   its outcome is unknown.
 * - A result is written after its line in the output is on the disk. `end` is the size of the output with that line.
 *   After a crash, the output may have results beyond the last `end` that are not in the journal.
 * - After `retry`, a line that had a result is pending again. `output` is written when a copy of the output without
 *   that result is on the disk; the copy then replaces the output. If `output` is the last record, a run may have ended
 *   before the copy replaced the output. The first of several `retry` records in a row has the fields `copy` and
 *   `replaced`. They are parts of the names of the copy, and of the file that keeps the old results.
 */
export type JournalRecord =
  | HeaderRecord
  | InputRecord
  | SendRecord
  | ResultRecord
  | ReturnRecord
  | OutputRecord;

export interface HeaderRecord {
  readonly event: "header";
  readonly shard: Shard | null;
}

/** Written after a run has read the input to its end, before it sends anything. */
export interface InputRecord {
  readonly event: "input";
  /** How many lines of the input belong to this output. */
  readonly lines: number;
  /** How many results belong to no line of the input, because lines were edited or removed since they were sent. */
  readonly extra?: number | undefined;
  /** Where the lines are sent: the origin of the service, such as `https://api.example.com`, or `sandbox`. */
  readonly service?: string | undefined;
  /** Only if the input has prompts. */
  readonly prompts?: PromptSettings | undefined;
}

/** The service of a journal, for a message. */
export const serviceText = (service: string): string => (service === "sandbox" ? "the sandbox" : service);

/** The endpoint that prompts are sent to, and their model, which may come from the profile. */
export interface PromptSettings {
  readonly endpoint: string;
  readonly model?: string | undefined;
}

export interface SendRecord {
  readonly event: "send";
  /** The `custom_id`, as in all records that have an `id`. */
  readonly id: string;
  /** The hash of the request: 16 hexadecimal digits. */
  readonly request: string;
  /** The most that the request can cost; undefined if the price is unknown. */
  readonly cost: Money | undefined;
}

export interface ResultRecord {
  /**
   * `done`: succeeded. `failed`: the service rejected the request and did nothing. `unknown`: may have been done and
   * charged.
   */
  readonly event: "done" | "failed" | "unknown";
  readonly id: string;
  /**
   * What the request cost; for `unknown`, what it may have cost. Undefined for `failed`, and if the price is unknown.
   */
  readonly cost: Money | undefined;
  /** Bytes of the output up to the end of this result's line. */
  readonly end: number;
  /** The error code of a failure, such as `BAD_REQUEST`. */
  readonly code: string | undefined;
}

/** A result that is not recorded yet. */
export type NewResult = Omit<ResultRecord, "end">;

export interface ReturnRecord {
  /** `undo`: nothing was done. `retry`: a line with a result is to be sent again. */
  readonly event: "undo" | "retry";
  readonly id: string;
  /** A part of the name of the copy of the output: 16 hexadecimal digits. */
  readonly copy?: string | undefined;
  /** A part of the name of the file with old results: 16 hexadecimal digits, or empty if the name has no such part. */
  readonly replaced?: string | undefined;
}

/** Written when a copy of the output, without the results of lines that are sent again, is on the disk. */
export interface OutputRecord {
  readonly event: "output";
  /** Bytes of the copy, which then replaces the output. */
  readonly end: number;
  /** Bytes of the file with old results. Undefined if an earlier version of gpuctl wrote the record. */
  readonly replaced?: number | undefined;
}

const version = 1;

/** The path of the journal of an output. */
export const journalPath = (out: string): string => `${out}.journal`;

/** The line of a record, with its line feed. */
export function journalLine(record: JournalRecord): string {
  if (record.event === "header")
    return withSum(JSON.stringify({ journal: "batch", version, shard: record.shard }));
  const cost = "cost" in record ? record.cost : undefined;
  return withSum(JSON.stringify(cost === undefined ? record : { ...record, cost: decimalText(cost) }));
}

const withSum = (json: string): string => {
  const start = json.slice(0, -1);
  return `${start},"sum":"${sumOf(start)}"}\n`;
};

const sumOf = (text: string): string => crc32(text).toString(16).padStart(8, "0");

const sumField = /,"sum":"([\da-f]{8})"\}$/;

/** Parses a line without its line feed. Undefined if the line is torn or not a line of a journal. */
function journalRecord(line: string): JournalRecord | undefined {
  const sum = sumField.exec(line);
  if (sum === null || sumOf(line.slice(0, sum.index)) !== sum[1]) return undefined;
  return recordOf(asRecord(parseJson(line)));
}

function recordOf(fields: Readonly<Record<string, unknown>>): JournalRecord | undefined {
  const { event, id, end, code, request } = fields;
  const cost = typeof fields.cost === "string" ? parseMoney(fields.cost, "the journal") : undefined;
  if (fields.journal === "batch" && fields.version === version) return headerOf(fields.shard);
  if (event === "output" && typeof end === "number") {
    return { event, end, replaced: typeof fields.replaced === "number" ? fields.replaced : undefined };
  }
  if (event === "input" && typeof fields.lines === "number") {
    const prompts = promptsOf(asRecord(fields.prompts));
    const extra = typeof fields.extra === "number" ? fields.extra : undefined;
    return { event, lines: fields.lines, extra, service: textOf(fields.service), prompts };
  }
  if (typeof id !== "string") return undefined;
  if (event === "undo") return { event, id };
  if (event === "retry") return { event, id, copy: partOf(fields.copy), replaced: partOf(fields.replaced) };
  if (event === "send" && typeof request === "string") return { event, id, request, cost };
  if ((event === "done" || event === "failed" || event === "unknown") && typeof end === "number") {
    return { event, id, cost, end, code: textOf(code) };
  }
  return undefined;
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Returns the value if it is 16 hexadecimal digits, which are safe in a path. Otherwise returns undefined. */
const partOf = (value: unknown): string | undefined => /^[\da-f]{16}$/.exec(textOf(value) ?? "")?.[0];

const promptsOf = ({ endpoint, model }: Readonly<Record<string, unknown>>): PromptSettings | undefined =>
  typeof endpoint === "string" ? { endpoint, model: textOf(model) } : undefined;

function headerOf(shard: unknown): HeaderRecord | undefined {
  if (shard === null) return { event: "header", shard };
  if (!isRecord(shard)) return undefined;
  const { index, count } = shard;
  return typeof index === "number" && typeof count === "number" && isShard({ index, count })
    ? { event: "header", shard: { index, count } }
    : undefined;
}

/** A journal that cannot be used: it has another version, was changed, or does not match its output. */
export class JournalInvalid extends Error {
  override readonly name = "JournalInvalid";
}

/** A record, and the size of the journal up to the end of that record. */
export interface ReadRecord {
  readonly record: JournalRecord;
  readonly end: number;
}

/**
 * Reads the records of a journal one by one, the header first. A torn last line is left out. If the journal is empty or
 * its header is torn, yields no records.
 * @throws JournalInvalid if any other line is damaged, or if the file is not a journal
 */
export async function* readJournal(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ReadRecord> {
  let torn: number | undefined;
  for await (const { text, number, end, isOpen } of ownLinesOf(chunks, path)) {
    if (torn !== undefined) throw damaged(path, torn);
    const record = isOpen ? undefined : journalRecord(text);
    if (number === 1 && record?.event !== "header" && !(isOpen && isTornHeader(text))) throw damaged(path, 1);
    if (record === undefined || (number === 1) !== (record.event === "header")) torn = number;
    else yield { record, end };
  }
}

const damaged = (path: string, line: number): JournalInvalid =>
  new JournalInvalid(`${path}:${line} is damaged, or was not written by this version of gpuctl`);

/** A header up to the part that differs between batches. */
const headerStart = `{"journal":"batch","version":${version},"shard":`;

/**
 * Whether a file that consists of this text is a journal whose header was not written completely. After a power loss,
 * the file may end with zero bytes instead of text that did not reach the disk. Any other file may be the user's, and
 * must not be overwritten.
 */
function isTornHeader(text: string): boolean {
  let length = text.length;
  while (text[length - 1] === "\0") length -= 1;
  const written = text.slice(0, length);
  return headerStart.startsWith(written) || written.startsWith(headerStart);
}

/**
 * What a batch has cost. `add` takes the records of the journal in their order. Only the requests in flight are kept in
 * memory.
 */
export class JournalCosts {
  #spent: Money = 0n;
  #uncertain: Money = 0n;
  #unpriced = 0;
  readonly #inFlight = new Map<string, Money | undefined>();

  /** The cost of successful requests, including lines that were sent again later. */
  get spent(): Money {
    return this.#spent;
  }

  /** What may have been charged in addition: requests with an unknown outcome or in flight. */
  get uncertain(): Money {
    return this.#uncertain;
  }

  /** How many requests without a known price succeeded or have an unknown outcome. */
  get unpriced(): number {
    return this.#unpriced;
  }

  /** The most that each request in flight can cost, by ID. */
  get inFlight(): ReadonlyMap<string, Money | undefined> {
    return this.#inFlight;
  }

  add(record: JournalRecord | NewResult): void {
    if (record.event === "send") {
      if (record.cost !== undefined) this.#uncertain += record.cost;
      this.#inFlight.set(record.id, record.cost);
    } else if ("id" in record) {
      const cost = this.#inFlight.get(record.id);
      if (cost !== undefined) this.#uncertain -= cost;
      this.#inFlight.delete(record.id);
    }
    if (record.event !== "done" && record.event !== "unknown") return;
    if (record.cost === undefined) this.#unpriced += 1;
    else if (record.event === "done") this.#spent += record.cost;
    else this.#uncertain += record.cost;
  }
}
