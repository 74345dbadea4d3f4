import type { Messages, Ports, Task } from "../command-kit/context.ts";
import { hourlyCostPaths } from "../command-kit/responses.ts";
import { Interrupted, reasonOf, UsageError } from "../core/errors.ts";
import { firstAt } from "../core/json.ts";
import { idOf } from "../core/responses/rental.ts";
import { issueText } from "../core/text.ts";
import { stringifyExactly } from "../core/values/exact-numbers.ts";
import { dollarNumber, dollarText, type Money, moneyOfDollars } from "../core/values/money.ts";
import { shownText } from "./data.ts";
import { type Done, type PerformOptions, perform } from "./perform.ts";
import { priceOf } from "./price.ts";
import { failureData, resultOf, shownPictures, type ToolResult } from "./results.ts";
import type { Budget, LogEntry } from "./spending.ts";
import { type Arguments, lookAfter, type Tool } from "./tools.ts";

export interface CallServices
  extends PerformOptions,
    Pick<Messages, "log">,
    Pick<Ports, "task" | "failureOf"> {
  /** Undefined if nothing may be spent. */
  readonly budget: Budget | undefined;
  /** The price to count for a call whose price is not documented. */
  readonly assumedPrice: Money | undefined;
  /** Appends to the spending log. */
  readonly record: (entry: LogEntry) => Promise<void>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

interface CallOptions {
  /** Aborted when the client cancels the call. */
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
}

/** A call that is not a read. */
interface Write {
  readonly number: number;
  readonly price: Money | undefined;
  /** Returns the price to the budget. */
  readonly release: () => void;
}

/** Errors after which nothing was charged and nothing was changed. */
const withoutEffect: ReadonlySet<string> = new Set([
  "BudgetExceeded",
  "InsecureUrl",
  "Interrupted",
  "KeyBelongsElsewhere",
  "KeyCommandFailed",
  "NetworkError",
  "NoBaseUrl",
  "NoCredential",
  "NoDescription",
  "NotFound",
  "NotOffered",
  "SaveFailed",
  "ServiceError",
  "UnexpectedResponse",
  "UsageError",
  "WaitedTooLong",
]);

/** Errors whose hint is gpuctl's own text and quotes nothing from the service. */
const fixedHints: ReadonlySet<string> = new Set([
  "BudgetExceeded",
  "InsecureUrl",
  "NetworkError",
  "NoBaseUrl",
  "NoCredential",
  "ServiceError",
]);

const unknownOutcomes: ReadonlySet<string> = new Set(["UnknownOutcome", "InterruptedWrite"]);

/**
 * Makes the calls of a server. Keeps track of what the calls spend, which outcomes are unknown, and which outcomes the
 * client has not seen.
 */
export class Calls {
  readonly #services: CallServices;
  #count = 0;
  /**
   * Changes on the compute host are made one after the other, so that the outcome of each is known before the next
   * begins.
   */
  #last: Promise<unknown> = Promise.resolve();
  readonly #underWay = new Set<Promise<unknown>>();
  /**
   * For each tool in `lookAfter` with a call whose outcome is unknown: that call. A tool stays here until the client
   * has called the tool that shows the outcome.
   */
  readonly #unknown = new Map<string, Call>();
  /** The outcomes of calls that the client canceled, for the notes of the next result. */
  #unreported: string[] = [];

  constructor(services: CallServices) {
    this.#services = services;
  }

  /** Resolves when no call is under way. */
  async finished(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  async run(tool: Tool, args: Arguments, options: CallOptions): Promise<ToolResult> {
    const running = this.#run(tool, args, options);
    this.#underWay.add(running);
    try {
      return await running;
    } finally {
      this.#underWay.delete(running);
    }
  }

  async #run(tool: Tool, args: Arguments, options: CallOptions): Promise<ToolResult> {
    const issues = tool.issues(args);
    if (issues.length > 0) return invalid(issues.map(issueText));
    const notes: string[] = [];
    let doneBefore: string | undefined;
    const task = this.#services.task({
      ...options,
      say: (line) => notes.push(shownText(line)),
      setFailureContext: (line) => {
        doneBefore = line;
      },
    });
    const write = { number: 0, price: undefined, release: () => {} } as Write;
    const call = { tool, args, task, notes, doneBefore: () => doneBefore, ...options };
    if (tool.effect === "read") return this.#perform(call, write);
    if (tool.effect === "generate") return this.#write(call);
    const inTurn = this.#last.then(() => this.#write(call));
    this.#last = inTurn.catch(() => {});
    return inTurn;
  }

  /**
   * Makes a call that is not a read. Checks the budget, and writes to the spending log before the call is sent and when
   * it ends.
   */
  async #write(call: Call): Promise<ToolResult> {
    const { tool, args, signal } = call;
    const { budget, assumedPrice, record } = this.#services;
    this.#count += 1;
    const number = this.#count;
    let release = () => {};
    let price: Money | undefined;
    try {
      if (signal.aborted) throw new Interrupted("canceled before the request was sent");
      if (this.#unknown.has(tool.name)) return lookFirst(tool);
      price = budget && priceOf(tool, args, assumedPrice);
      if (price !== undefined) release = budget?.reserve(price) ?? release;
      await record({ call: number, tool: tool.name, event: "started", dollars: dollarsOf(price) }).catch(
        unrecorded,
      );
    } catch (error) {
      release();
      return this.#failure(error, call, undefined);
    }
    return this.#perform(call, { number, price, release });
  }

  async #perform(call: Call, write: Write): Promise<ToolResult> {
    const { tool, args, task, notes } = call;
    // A read that began before a request was sent does not show what that request did.
    const unknownBefore = [...this.#unknown].filter(([name]) => lookAfter[name] === tool.name);
    let done: Done;
    try {
      done = await perform(tool, args, task, this.#services);
    } catch (error) {
      return this.#failure(error, call, write);
    }
    for (const [name, unknown] of unknownBefore) {
      if (this.#unknown.get(name) === unknown) this.#unknown.delete(name);
    }
    if (done.failure) return this.#failure(done.failure, call, write, done);
    const facts = created(done);
    await this.#report(call, write, { event: "done", ...facts }, done);
    const { data, total } = done;
    const cost = this.#cost(write, facts.dollarsPerHour);
    return this.#shown(
      call,
      { ok: true, data, total, cost, notes: this.#notes(call, notes) },
      await shownPictures(done),
    );
  }

  /** The result of a call that failed. `attempted` is undefined if the call failed before it was performed. */
  async #failure(error: unknown, call: Call, attempted: Write | undefined, done?: Done): Promise<ToolResult> {
    const { tool, notes } = call;
    const { failureOf } = this.#services;
    const name = error instanceof Error ? error.name : "";
    const isUnknown = tool.effect !== "read" && unknownOutcomes.has(name);
    const failure = await failureOf(error, call.doneBefore());
    if (isUnknown && lookAfter[tool.name]) this.#unknown.set(tool.name, call);
    const isFree = withoutEffect.has(name) && call.doneBefore() === undefined;
    const write = isFree ? withoutCharge(attempted) : attempted;
    const event = isUnknown ? "unknown" : "failed";
    if (write) await this.#report(call, write, { event, problem: failure.message }, done);
    return this.#shown(call, {
      ok: false,
      data: { ...failureData(failure), ...(done && { partial: done.data }) },
      cost: write && this.#cost(write),
      notes: this.#notes(call, notes),
      error: {
        // The code of a `ServiceError` comes from the service, so it is only in the data.
        code: name === "ServiceError" ? "SERVICE_ERROR" : failure.code,
        status: failure.status,
        retryable: failure.retryable && !isUnknown,
        advice: isUnknown ? unknownAdvice(tool) : fixedHints.has(name) ? failure.hint : null,
      },
    });
  }

  /**
   * A result for the client. If the data of a read cannot be shown, the read fails. If the data of a write cannot be
   * shown, the result still has the outcome of the write; the data is saved to a file, and the result names the file.
   */
  async #shown(
    { tool }: Call,
    envelope: Parameters<typeof resultOf>[0],
    pictures?: Parameters<typeof resultOf>[1],
  ): Promise<ToolResult> {
    try {
      return resultOf(envelope, pictures);
    } catch (error) {
      if (tool.effect === "read") throw error;
      const note = `The data of this result cannot be shown: ${reasonOf(error)}. ${await this.#kept("The data", envelope.data)}`;
      return resultOf({ ...envelope, data: null, notes: [...(envelope.notes ?? []), note] }, pictures);
    }
  }

  /**
   * Saves the data of a canceled call, unless the call itself has saved it to files. Returns a sentence that says where
   * the data is. It was paid for, but no result shows it.
   */
  async #paidFor({ paths = [], data, failure }: Done): Promise<string> {
    const subject = failure ? "The part that was received" : "Its result";
    return paths.length > 0 ? `${subject} was saved to ${paths.join(", ")}.` : this.#kept(subject, data);
  }

  /**
   * Saves the data of a result. Returns a sentence that begins with `subject` and says where the data is. If saving
   * fails, the sentence is the reason.
   */
  async #kept(subject: string, data: unknown): Promise<string> {
    const { folder, now } = this.#services;
    try {
      const { keep } = await import("../media/keep.ts");
      const bytes = Buffer.from(stringifyExactly(data) ?? "null");
      return `${subject} was saved to ${await keep(bytes, { folders: [folder], date: new Date(now()), thing: "result" })}.`;
    } catch (error) {
      return `${reasonOf(error)}.`;
    }
  }

  /**
   * Reports the outcome of a write in the spending log and on stderr. If the call was canceled, the notes of the next
   * result also report it.
   */
  async #report(
    call: Call,
    write: Write,
    outcome: Pick<LogEntry, "event"> & Partial<LogEntry>,
    done?: Done,
  ): Promise<void> {
    const { tool, signal } = call;
    if (tool.effect === "read") return;
    const { record, log } = this.#services;
    const entry = { call: write.number, tool: tool.name, dollars: dollarsOf(write.price), ...outcome };
    await record(entry).catch((error: unknown) =>
      log(`mcp: the spending log is incomplete: ${reasonOf(error)}`),
    );
    const isLost = signal.aborted && done && tool.effect === "generate";
    const line = `${lineOf(entry)}${isLost ? `. ${await this.#paidFor(done)}` : ""}`;
    log(`mcp: ${line}`);
    if (signal.aborted) this.#unreported.push(`This call ended after you canceled it: ${line}`);
  }

  #cost({ number, price }: Write, dollarsPerHour?: number) {
    const state = this.#services.budget?.state();
    return number > 0 && state ? { dollars: dollarsOf(price), dollarsPerHour, ...state } : undefined;
  }

  /**
   * The notes of a result. No one reads the result of a canceled call, so the outcomes that are still to be reported
   * wait for the next result.
   */
  #notes({ signal }: Call, own: readonly string[]): readonly string[] | undefined {
    const notes = signal.aborted ? own : [...this.#unreported, ...own];
    if (!signal.aborted) this.#unreported = [];
    return notes.length > 0 ? notes : undefined;
  }
}

interface Call extends CallOptions {
  readonly tool: Tool;
  readonly args: Arguments;
  readonly task: Task;
  /** Messages during the call. */
  readonly notes: readonly string[];
  /** What was done before a failure. */
  readonly doneBefore: () => string | undefined;
}

/** A call that was not charged: the budget gets its price back. */
function withoutCharge(write: Write | undefined): Write | undefined {
  write?.release();
  return write?.price === undefined ? write : { ...write, price: 0n };
}

const dollarsOf = (price: Money | undefined): number | null =>
  price === undefined ? null : dollarNumber(price);

/** The ID and the hourly cost of a new resource, as far as the response has them. */
function created({ data }: Done): Partial<LogEntry> {
  const id = idOf(data);
  const cents = firstAt(data, hourlyCostPaths);
  return {
    ...(id !== undefined && { id }),
    ...(typeof cents === "number" && { dollarsPerHour: cents / 100 }),
  };
}

function lineOf({ call, tool, event, dollars, dollarsPerHour, id, problem }: LogEntry): string {
  const parts = [
    `call ${call}, ${tool}: ${event}`,
    ...(id === undefined ? [] : [`ID ${id}`]),
    ...(dollars === null ? [] : [dollarText(moneyOfDollars(dollars))]),
    ...(dollarsPerHour === undefined ? [] : [`${dollarText(moneyOfDollars(dollarsPerHour))} an hour`]),
    ...(problem === undefined ? [] : [problem]),
  ];
  return shownText(parts.join(", "));
}

/** What to do after an unknown outcome. `data.hint` of the result says what gpuctl found when it looked. */
function unknownAdvice({ name, effect }: Tool): string {
  const look = lookAfter[name];
  const sent = "The request was sent and may have taken effect.";
  if (look) {
    return `${sent} Do not call ${name} again now. Call ${look}, and compare its result with what you asked for and with data.hint. Until then, ${name} is refused.`;
  }
  return effect === "generate"
    ? `${sent} It may be charged. Another call is a new request, and is charged as well.`
    : `${sent} Do not call ${name} again: no tool shows what it did. Ask the user.`;
}

/** The result that refuses a tool because the outcome of an earlier call is unknown. */
const lookFirst = ({ name }: Tool): ToolResult =>
  resultOf({
    ok: false,
    data: null,
    error: {
      code: "LOOK_FIRST",
      status: null,
      retryable: false,
      advice: `The outcome of an earlier call of ${name} is unknown. Call ${lookAfter[name]} first, and compare its result with what you asked for. Nothing was sent.`,
    },
  });

const invalid = (messages: readonly string[]): ToolResult =>
  resultOf({
    ok: false,
    data: { issues: messages },
    error: {
      code: "INVALID_INPUT",
      status: null,
      retryable: false,
      advice: "Correct the arguments that data.issues names. Nothing was sent.",
    },
  });

function unrecorded(error: unknown): never {
  throw new UsageError(`the spending log cannot be written: ${reasonOf(error)}`, {
    hint: "Nothing was sent.",
  });
}
