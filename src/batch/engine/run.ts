import type { ResultLost, StoredElsewhere } from "../../core/errors.ts";
import { steadyClock } from "../../core/tasks/steady-clock.ts";
import type { Money } from "../../core/values/money.ts";
import type { BatchRequest, Endpoint, InvalidLine, Source } from "../input/lines.ts";
import type { JournalCosts, NewResult } from "../journal.ts";
import type { Ledger } from "../ledger.ts";
import { Flow } from "./flow.ts";
import { type Answer, outputLine } from "./output.ts";
import type { Recorder } from "./recorder.ts";

/** The outcome of sending a request once. */
export type Sent =
  /** `value` is the parsed body, from which the cost is computed. */
  | {
      readonly outcome: "done";
      readonly answer: Answer;
      readonly value: unknown;
      readonly notSaved?: NotSaved;
    }
  /** The service rejected the request and did nothing. */
  | { readonly outcome: "failed"; readonly answer: Answer; readonly code: string }
  | {
      readonly outcome: "unknown";
      readonly answer: Answer;
      readonly code: string;
      /** Whether the service did not respond or is overloaded, so that fewer requests should be in flight. */
      readonly slowsDown: boolean;
      /** How long the service asks to wait, in milliseconds. */
      readonly retryAfter?: number | undefined;
      /** Why the outcome is unknown. Set if there is a `retryAfter`. */
      readonly error?: unknown;
      readonly notSaved?: NotSaved;
    }
  /** Nothing was done: the service returned 429, or the request was not sent. The request is sent again. */
  | { readonly outcome: "refused"; readonly retryAfter?: number | undefined; readonly error: unknown }
  /** Nothing was done, and every other line would fail in the same way. */
  | { readonly outcome: "stop"; readonly error: unknown };

/** Set if a result that was paid for could not be saved in the folder for files. The run then stops. */
export type NotSaved = StoredElsewhere | ResultLost | undefined;

export interface Pricing {
  /** The most that a request can cost; undefined if that is not known. */
  readonly ceiling: (request: BatchRequest) => Money | undefined;
  /** Whether a request that succeeds costs exactly its ceiling. */
  readonly isExact: (endpoint: Endpoint) => boolean;
  /** What a request cost, according to its response; undefined if that is not known. */
  readonly cost: (request: BatchRequest, response: unknown) => Money | undefined;
}

export interface RunOptions {
  readonly source: Source;
  readonly ledger: Ledger;
  readonly costs: JournalCosts;
  readonly recorder: Recorder;
  /** Whether a line belongs to this run. */
  readonly isOurs: (id: string) => boolean;
  /** Never rejects. */
  readonly send: (request: BatchRequest) => Promise<Sent>;
  readonly pricing: Pricing;
  /** What the batch may cost in total, including earlier runs. */
  readonly maxCost: Money | undefined;
  /** The maximum number of requests in flight. */
  readonly concurrency: number;
  /** How many milliseconds to go on without a success before giving up. */
  readonly patience: number;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Aborted when no further requests are to be sent. */
  readonly stopped: AbortSignal;
}

/** Why a run ended before its last line. */
export type StopReason =
  | { readonly kind: "interrupted" | "ceiling" }
  | { readonly kind: "given up" | "fatal"; readonly error: unknown }
  /** Many lines in a row did not succeed. */
  | { readonly kind: "failing"; readonly count: number };

/**
 * After this many results in a row without a success, the run stops: probably all lines are wrong, or each costs money
 * for nothing.
 */
const maxFailuresInARow = 20;
/** The maximum number of `send` records to write ahead, before their requests can be sent. */
const maxAhead = 256;
/** Records are written ahead only if writing takes at least this share of the time that a request takes. */
const minShareOfDisk = 0.1;
/** The maximum number of results that wait for the disk. */
const maxUnrecorded = 1024;

interface Prepared {
  readonly request: BatchRequest;
  readonly entry: number;
}

/** The input differs from the one that was checked. The next run checks it again and sends the lines that changed. */
class InputChanged extends Error {
  override readonly name = "InputChanged";
  constructor() {
    super("the input was changed while the batch was running: run the same command line again");
  }
}

/**
 * Sends the pending lines of a batch. Each line is recorded in the journal before it is sent, and a result counts
 * only after it is on the disk. A request is sent again only if the service did nothing.
 */
export class BatchRun {
  readonly #options: RunOptions;
  readonly #now: () => number;
  readonly #flow: Flow;
  #stop: StopReason | undefined;
  #notSaved: NotSaved;
  #refusal: unknown;
  /** The pending lines of the group that was read last from the input. */
  #group: Iterator<Prepared> = [].values();
  #entry = -1;
  #isRead = false;
  /** Recorded in the journal and ready to be sent. */
  readonly #prepared: Prepared[] = [];
  /** Refused for now, and to be sent again. */
  readonly #again: Prepared[] = [];
  /** The request that waits until its cost fits within the limit. */
  #held: Prepared | undefined;
  #preparing = 0;
  #inFlight = 0;
  #unrecorded = 0;
  #failuresInARow = 0;
  /** How long a request takes, in milliseconds, on average. */
  #latency = 0;
  #wake: () => void = () => {};
  #waiting: Promise<void> | undefined;
  #isPaused = false;
  /** Aborted when the run ends. */
  readonly #over = new AbortController();
  /** How many results this run has written to the disk. */
  readonly results = { done: 0, failed: 0, unknown: 0 };

  constructor(options: RunOptions) {
    this.#options = options;
    const { concurrency: maximum, patience } = options;
    this.#now = steadyClock(options.now);
    this.#flow = new Flow({ maximum, patience, now: this.#now });
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** How many requests may be in flight. */
  get concurrency(): number {
    return this.#flow.limit;
  }

  /**
   * Why the run waits: the error of the last request that made it wait. Undefined once a later request has succeeded or
   * failed.
   */
  get refusal(): unknown {
    return this.#refusal;
  }

  /**
   * Sends lines until every line has a result. If the run stops earlier, returns the reason. Rejects if the disk fails.
   */
  async run(): Promise<StopReason | undefined> {
    const { stopped, source, recorder } = this.#options;
    const interrupt = () => this.#end({ kind: "interrupted" });
    if (stopped.aborted) interrupt();
    stopped.addEventListener("abort", interrupt, { once: true });
    const groups = source()[Symbol.asyncIterator]();
    try {
      while (!this.#isOver()) {
        this.#sendPrepared();
        if (this.#prepareNext()) continue;
        if (this.#needsInput) await this.#read(groups);
        else await this.#changed();
      }
    } catch (error) {
      this.#end({ kind: "fatal", error });
    } finally {
      stopped.removeEventListener("abort", interrupt);
      this.#over.abort();
      await groups.return?.();
    }
    while (this.#preparing > 0 || this.#inFlight > 0) await this.#changed();
    for (const prepared of this.#prepared.splice(0)) this.#undo(prepared);
    await recorder.flush();
    // A result that could not be saved is more important than any other reason to stop, such as Ctrl-C.
    return this.#notSaved ? { kind: "fatal", error: this.#notSaved } : this.#stop;
  }

  #isOver(): boolean {
    const left = this.#soon + this.#again.length;
    return this.#stop !== undefined || (this.#isRead && left === 0 && this.#held === undefined);
  }

  #end(reason: StopReason): void {
    this.#stop ??= reason;
    this.#notify();
  }

  #notify(): void {
    this.#wake();
  }

  /** Resolves when something has changed since the last call. */
  async #changed(): Promise<void> {
    await this.#waiting;
    this.#waiting = new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async #read(groups: AsyncIterator<Iterable<BatchRequest | InvalidLine>>): Promise<void> {
    const { value, done } = await groups.next();
    if (done) this.#isRead = true;
    else this.#group = this.#pending(value);
  }

  /** The lines of this run that have no result. */
  *#pending(lines: Iterable<BatchRequest | InvalidLine>): Generator<Prepared> {
    const { ledger, isOurs } = this.#options;
    for (const request of lines) {
      if ("problems" in request) throw new InputChanged();
      if (!isOurs(request.id)) continue;
      const entry = this.#entryOf(request);
      this.#entry = entry;
      if (ledger.state(entry) === "pending") yield { request, entry };
    }
  }

  #entryOf({ id, number, sum }: BatchRequest): number {
    const { ledger } = this.#options;
    const isSame = (entry: number) => ledger.line(entry) === number && ledger.sum(entry) === sum;
    // In a new batch, the entries are in the order of the lines.
    if (isSame(this.#entry + 1)) return this.#entry + 1;
    const entry = ledger.find(id);
    if (entry === undefined || !isSame(entry)) throw new InputChanged();
    return entry;
  }

  /** How many requests are in flight or will be soon. */
  get #soon(): number {
    return this.#inFlight + this.#prepared.length + this.#preparing;
  }

  get #hasRoom(): boolean {
    const isFull = this.#soon >= this.#flow.limit + this.#ahead || this.#unrecorded >= maxUnrecorded;
    return !isFull && !this.#isPaused;
  }

  get #needsInput(): boolean {
    return !this.#isRead && this.#hasRoom && this.#held === undefined;
  }

  /**
   * Starts to record a line in the journal, if there is room for it and its cost fits within the limit. Returns false
   * if it records nothing.
   */
  #prepareNext(): boolean {
    if (!this.#hasRoom) return false;
    const next = this.#held ?? this.#again.shift() ?? this.#group.next().value;
    this.#held = undefined;
    if (next === undefined) return false;
    const { pricing } = this.#options;
    const cost = pricing.ceiling(next.request);
    if (this.#fits(cost)) {
      this.#prepare(next, cost);
      return true;
    }
    this.#held = next;
    // Another request may cost less than its ceiling. Then this line may fit later, so the run stops only if no other
    // request is in flight or about to be sent.
    if (this.#soon > 0) return false;
    const cheaper = this.#again.findIndex(({ request }) => this.#fits(pricing.ceiling(request)));
    const [other] = cheaper < 0 ? [] : this.#again.splice(cheaper, 1);
    if (other) this.#prepare(other, pricing.ceiling(other.request));
    else this.#end({ kind: "ceiling" });
    return other !== undefined;
  }

  #fits(cost: Money | undefined): boolean {
    const { maxCost, costs } = this.#options;
    return maxCost === undefined || costs.spent + costs.uncertain + (cost ?? 0n) <= maxCost;
  }

  #prepare(next: Prepared, cost: Money | undefined): void {
    const { recorder, ledger, costs } = this.#options;
    const { id } = next.request;
    const record = { event: "send", id, request: ledger.request(next.entry), cost } as const;
    costs.add(record);
    ledger.setState(next.entry, "sent");
    this.#preparing += 1;
    this.#whenWritten(recorder.record(record), (isWritten) => {
      this.#preparing -= 1;
      if (isWritten) this.#prepared.push(next);
    });
  }

  /** Calls `settle` when `writing` has ended. If the write failed, also ends the run. */
  #whenWritten(writing: Promise<void>, settle: (isWritten: boolean) => void): void {
    writing.then(
      () => {
        settle(true);
        this.#notify();
      },
      (error: unknown) => {
        settle(false);
        this.#end({ kind: "fatal", error });
      },
    );
  }

  /** Sends as many prepared lines as `Flow` allows. */
  #sendPrepared(): void {
    if (this.#flow.delay > 0) this.#pause(this.#flow.delay);
    while (!this.#isPaused && this.#inFlight < this.#flow.limit) {
      const next = this.#prepared.shift();
      if (next === undefined) return;
      void this.#send(next);
    }
  }

  #pause(delay: number): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    const resume = () => {
      this.#isPaused = false;
      this.#notify();
    };
    this.#options.sleep(delay, this.#over.signal).then(resume, resume);
  }

  /** How many `send` records to write before their requests can be sent. */
  get #ahead(): number {
    const share = this.#latency > 0 ? this.#options.recorder.milliseconds / this.#latency : 0;
    return share < minShareOfDisk ? 0 : Math.min(maxAhead, Math.ceil(this.#flow.limit * share * 2));
  }

  async #send(prepared: Prepared): Promise<void> {
    const { send } = this.#options;
    const { period } = this.#flow;
    const start = this.#now();
    this.#inFlight += 1;
    const sent = await send(prepared.request);
    this.#inFlight -= 1;
    this.#latency += (this.#now() - start - this.#latency) / 8;
    this.#settle(prepared, sent, period);
    this.#notify();
  }

  #settle(prepared: Prepared, sent: Sent, period: number): void {
    if (sent.outcome === "refused" || sent.outcome === "stop") {
      this.#undo(prepared);
      if (sent.outcome === "stop") this.#end({ kind: "fatal", error: sent.error });
      else if (this.#wait(sent, period)) this.#again.push(prepared);
      return;
    }
    if (sent.outcome !== "failed" && sent.notSaved) {
      this.#notSaved ??= sent.notSaved;
      this.#end({ kind: "fatal", error: sent.notSaved });
    }
    const { request } = prepared;
    const { costs, pricing } = this.#options;
    const code = sent.outcome === "done" ? undefined : sent.code;
    const ceiling = costs.inFlight.get(request.id);
    if (sent.outcome === "done") {
      this.#succeed();
      const cost = pricing.cost(request, sent.value) ?? ceiling;
      this.#record(prepared, { event: "done", id: request.id, cost, code }, sent.answer);
      return;
    }
    if (sent.outcome === "failed") this.#succeed();
    else if (sent.retryAfter !== undefined) this.#wait(sent, period);
    else if (sent.slowsDown) this.#flow.slowDown(period);
    const cost = sent.outcome === "unknown" ? ceiling : undefined;
    this.#record(prepared, { event: sent.outcome, id: request.id, cost, code }, sent.answer);
  }

  #succeed(): void {
    this.#refusal = undefined;
    this.#flow.succeed();
  }

  /** Waits before more requests are sent. If the wait would be too long, ends the run and returns false. */
  #wait(
    { retryAfter, error }: Pick<Extract<Sent, { outcome: "refused" | "unknown" }>, "retryAfter" | "error">,
    period: number,
  ): boolean {
    this.#refusal = error;
    const waits = this.#flow.wait(retryAfter, period);
    if (!waits) this.#end({ kind: "given up", error });
    return waits;
  }

  #record({ request, entry }: Prepared, record: NewResult, answer: Answer): void {
    const { recorder, costs, ledger } = this.#options;
    const { event } = record;
    costs.add(record);
    this.#failuresInARow = event === "done" ? 0 : this.#failuresInARow + 1;
    if (this.#failuresInARow >= maxFailuresInARow) {
      this.#end({ kind: "failing", count: this.#failuresInARow });
    }
    this.#unrecorded += 1;
    this.#whenWritten(recorder.result(record, outputLine(request.id, answer)), (isWritten) => {
      this.#unrecorded -= 1;
      if (!isWritten) return;
      ledger.setState(entry, event);
      this.results[event] += 1;
    });
  }

  /** Makes a line pending again, because nothing was done. */
  #undo({ request, entry }: Prepared): void {
    const { recorder, costs, ledger } = this.#options;
    const record = { event: "undo", id: request.id } as const;
    costs.add(record);
    ledger.setState(entry, "pending");
    this.#whenWritten(recorder.record(record, { isUrgent: false }), () => {});
  }
}
