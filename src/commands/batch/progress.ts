import { readFile, stat } from "node:fs/promises";
import type { BatchStatus, StartedBatch } from "../../batch/engine/batch.ts";
import type { Context } from "../../command-kit/context.ts";
import { asRecord, parseJson } from "../../core/json.ts";
import { duration } from "../../core/values/durations.ts";
import { dollarNumber, dollarText, type Money } from "../../core/values/money.ts";
import { save } from "../../media/save.ts";
import { refusalText } from "./format.ts";

interface ProgressOptions {
  /** Whether to print the status as lines from time to time, because there is no terminal that shows it. */
  readonly inLines: boolean;
  readonly statusJson: string | undefined;
  /** Aborted when the user stops the batch. The requests in flight are then completed. */
  readonly stopped: AbortSignal;
}

/** Milliseconds between two updates of the status, and between two printed lines. */
const updateInterval = 1_000;
const lineInterval = 60_000;
/** Milliseconds. The rate is computed over a window of this length. */
const rateWindow = 60_000;

/**
 * Runs `work`. Meanwhile, shows the status of the batch on a terminal or in lines, and writes it to a file if
 * `statusJson` is set.
 */
export async function withProgress<Value>(
  batch: StartedBatch,
  work: () => Promise<Value>,
  { inLines, statusJson, stopped }: ProgressOptions,
  { now, progress, say }: Pick<Context, "now" | "progress" | "say">,
): Promise<Value> {
  const rate = new Rate(now());
  const first = batch.status();
  let nextLine = now() + lineInterval;
  let saidRefusal = false;
  let writing: Promise<unknown> | undefined;
  const write = async (state: "running" | "ended"): Promise<void> => {
    if (statusJson === undefined) return;
    const text = `${JSON.stringify(statusDocument(state, batch.status(), { now: now(), rate, first }))}\n`;
    await save(statusJson, Buffer.from(text), { force: true });
  };
  await write("running");
  return await progress("Running the batch", async (update) => {
    const tick = (): void => {
      const status = batch.status();
      rate.add(now(), status.finished);
      const text = statusText(status, rate, first, stopped.aborted);
      update(text);
      const isFirstRefusal = status.refusal !== undefined && !saidRefusal;
      if (inLines && (isFirstRefusal || now() >= nextLine)) {
        say(text);
        nextLine = now() + lineInterval;
      }
      saidRefusal ||= isFirstRefusal;
      writing ??= write("running")
        .catch(() => {})
        .finally(() => {
          writing = undefined;
        });
    };
    const sayStopping = (): void => {
      const { inFlight } = batch.status();
      if (inFlight === 0) return;
      const requests = inFlight === 1 ? "request" : `${inFlight} requests`;
      const again = inLines ? "" : " Ctrl-C again stops at once.";
      say(`Stopping after the ${requests} in flight.${again}`);
      tick();
    };
    stopped.addEventListener("abort", sayStopping, { once: true });
    const timer = setInterval(tick, updateInterval);
    try {
      return await work();
    } finally {
      clearInterval(timer);
      stopped.removeEventListener("abort", sayStopping);
      await writing;
      await write("ended").catch(() => {});
    }
  });
}

/** Results per second over the last minute. */
class Rate {
  #samples: { readonly at: number; readonly finished: number }[];

  constructor(now: number) {
    this.#samples = [{ at: now, finished: 0 }];
  }

  add(at: number, finished: number): void {
    this.#samples.push({ at, finished });
    const from = this.#samples.findLastIndex((sample) => sample.at <= at - rateWindow);
    this.#samples = this.#samples.slice(Math.max(0, from));
  }

  /** 0 until there is a result. */
  get perSecond(): number {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (first === undefined || last === undefined || last.at === first.at) return 0;
    return ((last.finished - first.finished) * 1000) / (last.at - first.at);
  }
}

/**
 * A text such as `120 of 1000 done, 2 failed, 3.5/s, $1.20 of about $10.00, 4m 10s left`. While the batch is stopping,
 * the text ends with `4 in flight` instead of the time. Otherwise, while the status has a `refusal`, the text ends with
 * the reason: `waiting: no such host (api.example.com)`.
 */
function statusText(status: BatchStatus, rate: Rate, first: BatchStatus, isStopping: boolean): string {
  const { total, done, failed, unknown, left, inFlight, spent, refusal } = status;
  const { perSecond } = rate;
  const expected = expectedCost(status, first);
  return [
    `${done} of ${total} done`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
    ...(perSecond > 0 ? [`${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)}/s`] : []),
    ...(spent > 0n && expected !== undefined ? [`${cents(spent)} of about ${cents(expected)}`] : []),
    ...(isStopping ? [`${inFlight} in flight`] : []),
    ...(perSecond > 0 && !isStopping ? [`${duration(Math.round(left / perSecond) * 1000)} left`] : []),
    ...(refusal !== undefined && !isStopping ? [`waiting: ${refusalText(refusal)}`] : []),
  ].join(", ");
}

const cents = (amount: Money): string => dollarText(amount - (amount % 10n ** 18n));

/**
 * Returns what the whole batch is expected to cost if the lines that were not sent yet cost as much, on average, as the
 * lines that this run has completed. Undefined until this run has completed a line. The maximum cost of the lines in
 * flight is part of `uncertain`.
 */
function expectedCost(
  { spent, uncertain, done, left, inFlight }: BatchStatus,
  first: BatchStatus,
): Money | undefined {
  const count = done - first.done;
  if (count <= 0) return undefined;
  return spent + uncertain + ((spent - first.spent) * BigInt(left - inFlight)) / BigInt(count);
}

/** Bytes. A file larger than this cannot hold a status. */
const maxStatus = 4096;

/** Whether a file may be used for the status: it does not exist, is empty, or holds an earlier status. */
export async function isStatusFile(path: string): Promise<boolean> {
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined || (facts.isFile() && facts.size === 0)) return true;
  if (!facts.isFile() || facts.size > maxStatus) return false;
  const { state, updatedAt } = asRecord(parseJson(await readFile(path, "utf8").catch(() => "")));
  return typeof state === "string" && typeof updatedAt === "string";
}

/** Returns the status as `--status-json` writes it. */
function statusDocument(
  state: "running" | "ended",
  status: BatchStatus,
  { now, rate, first }: { readonly now: number; readonly rate: Rate; readonly first: BatchStatus },
): object {
  const { total, done, failed, unknown, left, inFlight, concurrency, spent, uncertain } = status;
  const { perSecond } = rate;
  const expected = expectedCost(status, first);
  return {
    state,
    updatedAt: new Date(now).toISOString(),
    total,
    done,
    failed,
    unknown,
    left,
    inFlight,
    concurrency,
    perSecond,
    secondsLeft: perSecond > 0 ? Math.round(left / perSecond) : null,
    dollars: dollarNumber(spent),
    uncertainDollars: dollarNumber(uncertain),
    expectedDollars: expected === undefined ? null : dollarNumber(expected),
  };
}
