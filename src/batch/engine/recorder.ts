import { InUse, UsageError } from "../../core/errors.ts";
import type { AppendFile } from "../files.ts";
import { type JournalRecord, journalLine, type NewResult } from "../journal.ts";

/**
 * The journal of a batch. Only this process may write to it. If this process was suspended, another process may have
 * taken over the batch. The methods then change nothing and throw `InUse`.
 */
export class OwnJournal {
  readonly #file: AppendFile;
  #size: number;

  /** @param size the size of the journal after the last record that this process knows */
  constructor(file: AppendFile, size: number) {
    this.#file = file;
    this.#size = size;
  }

  async assertOwn(): Promise<void> {
    if ((await this.#file.size()) !== this.#size) throw takenError();
    if (!(await this.#file.isInPlace())) throw removedError();
  }

  /** Cuts off a torn line. */
  async truncate(size: number): Promise<void> {
    await this.assertOwn();
    if (size === this.#size) return;
    await this.#file.truncate(size);
    this.#size = size;
  }

  /** Resolves when the text is on the disk. */
  async write(text: string): Promise<void> {
    await this.assertOwn();
    await this.#file.append(text);
    await this.#file.sync();
    this.#size += Buffer.byteLength(text);
  }
}

interface RecorderOptions {
  readonly journal: OwnJournal;
  readonly output: AppendFile;
  /** Milliseconds. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

interface Waiting {
  readonly record: JournalRecord | NewResult;
  /** The line of the output, with its line feed. */
  readonly line?: string;
  readonly resolve: () => void;
  readonly reject: (cause: unknown) => void;
}

/** A result waits this many milliseconds for other results, so that they are written together. */
const resultDelay = 50;
/** If this many results are waiting, they are written without a delay. */
const maxResults = 64;

/**
 * Writes records to the journal and results to the output. Records and results that arrive while the disk is busy are
 * written and flushed together.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  #waiting: Waiting[] = [];
  #results = 0;
  #isUrgent = false;
  #delay: Promise<void> | undefined;
  #writing: Promise<void> | undefined;
  #outputEnd: number;
  #failure: { readonly cause: unknown } | undefined;
  #milliseconds = 0;
  /** Whether the output already holds the lines of the group that is being written. */
  #isOutputWritten = false;
  readonly #unsaved: string[] = [];

  private constructor(options: RecorderOptions, outputEnd: number) {
    this.#options = options;
    this.#outputEnd = outputEnd;
  }

  static async create(options: RecorderOptions): Promise<Recorder> {
    return new Recorder(options, await options.output.size());
  }

  /** How long it takes to write a group of records, in milliseconds, on average. */
  get milliseconds(): number {
    return this.#milliseconds;
  }

  /** The lines of results that could not be written to the output. */
  get unsaved(): readonly string[] {
    return this.#unsaved;
  }

  /** Resolves when the record is on the disk. A record that is not `isUrgent` may wait for others. */
  record(record: JournalRecord, { isUrgent = true } = {}): Promise<void> {
    return this.#add(record, undefined, isUrgent);
  }

  /** Resolves when the line is in the output and the record in the journal. The line is written first. */
  result(record: NewResult, line: string): Promise<void> {
    this.#results += 1;
    return this.#add(record, line, this.#results >= maxResults);
  }

  /** Resolves when everything is on the disk. Rejects if something could not be written. */
  async flush(): Promise<void> {
    while (this.#waiting.length > 0 || this.#writing) {
      this.#isUrgent = true;
      this.#write();
      await this.#writing;
    }
    if (this.#failure) throw this.#failure.cause;
  }

  #add(record: Waiting["record"], line: string | undefined, isUrgent: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ record, ...(line !== undefined && { line }), resolve, reject });
      this.#isUrgent ||= isUrgent;
      this.#write();
    });
  }

  #write(): void {
    if (this.#writing || this.#waiting.length === 0) return;
    if (this.#isUrgent || this.#failure) this.#writing = this.#writeAll();
    else this.#delay ??= this.#writeLater();
  }

  async #writeLater(): Promise<void> {
    await this.#options.sleep(resultDelay).catch(() => {});
    this.#delay = undefined;
    this.#isUrgent = true;
    this.#write();
  }

  async #writeAll(): Promise<void> {
    // Waits, so that records added in the same turn of the event loop are written together.
    await Promise.resolve();
    const group = this.#waiting;
    this.#waiting = [];
    this.#results = 0;
    this.#isUrgent = false;
    const start = this.#options.now();
    this.#isOutputWritten = false;
    try {
      if (this.#failure) throw this.#failure.cause;
      await this.#append(group);
      for (const { resolve } of group) resolve();
    } catch (cause) {
      this.#failure ??= { cause };
      if (!this.#isOutputWritten) this.#unsaved.push(...group.flatMap(({ line }) => line ?? []));
      for (const { reject } of group) reject(cause);
    }
    this.#milliseconds += (this.#options.now() - start - this.#milliseconds) / 8;
    this.#writing = undefined;
    this.#write();
  }

  async #append(group: readonly Waiting[]): Promise<void> {
    const { journal, output } = this.#options;
    let text = "";
    let lines = "";
    let end = this.#outputEnd;
    for (const { record, line } of group) {
      if (line !== undefined) {
        lines += line;
        end += Buffer.byteLength(line);
      }
      text += journalLine(isResult(record) ? { ...record, end } : record);
    }
    if (lines !== "") {
      await journal.assertOwn();
      if ((await output.size()) !== this.#outputEnd) throw changedError();
      await output.append(lines);
      await output.sync();
      // Checked after the write, because the file may also be removed or replaced while it is written.
      if (!(await output.isInPlace())) throw changedError();
      this.#outputEnd = end;
    }
    this.#isOutputWritten = true;
    await journal.write(text);
  }
}

const takenError = () =>
  new InUse(
    "another process has written to the journal of this batch",
    "Stop the other run, or wait for it. Then run the same command line again.",
  );

const removedError = () =>
  new InUse(
    "the journal of this batch was replaced or removed while the batch was running",
    "Restore the journal. Then run the same command line again.",
  );

const changedError = () =>
  new UsageError("the output was changed, replaced or removed while the batch was running", {
    hint: "Restore the output. Then run the same command line again.",
  });

const isResult = (record: Waiting["record"]): record is NewResult =>
  record.event === "done" || record.event === "failed" || record.event === "unknown";
