import { BudgetExceeded, UsageError } from "../../core/errors.ts";
import { quoted } from "../../core/text.ts";
import { dollarText, type Money } from "../../core/values/money.ts";
import type { BatchFiles } from "../files.ts";
import {
  type BatchRequest,
  type CheckBody,
  type Problem,
  type Source,
  type Validated,
  validate,
} from "../input/lines.ts";
import { journalPath, type PromptSettings, serviceText } from "../journal.ts";
import { resultsOf } from "../outputs.ts";
import { isOfShard, type Shard } from "../shard.ts";
import { type Known, openBatch, readKnown } from "./open.ts";
import { BatchRun, type RunOptions, type StopReason } from "./run.ts";

export interface BatchOptions
  extends Pick<
    RunOptions,
    "send" | "pricing" | "maxCost" | "concurrency" | "patience" | "now" | "sleep" | "stopped"
  > {
  readonly source: Source;
  /** The name of the input, for errors. */
  readonly inputName: string;
  readonly check: CheckBody;
  /** The path of the output. */
  readonly out: string;
  readonly shard: Shard | undefined;
  /** Where the lines are sent: the origin of the service, or `sandbox`. Undefined if no service is configured. */
  readonly service: string | undefined;
  /** Only for an input with prompts. `isModelTyped` says whether the command line sets the model. */
  readonly prompts: (PromptSettings & { readonly isModelTyped: boolean }) | undefined;
  readonly files: BatchFiles;
  /** Throws if the batch has begun with another number of shards. */
  readonly assertSameShards: () => Promise<void>;
  /** Whether to refuse the batch if there is a `maxCost` and the price of a line is not known. */
  readonly needsPrices: boolean;
}

/** What a batch is about to do. */
export interface Plan {
  readonly known: Known;
  readonly counts: Validated["counts"];
  readonly total: number;
  /** How many lines will be sent. */
  readonly toSend: number;
  /** How many lines already have each kind of result. `unknown` includes lines that the last run left in flight. */
  readonly earlier: Readonly<Record<keyof BatchRun["results"], number>>;
  /** IDs of lines that were edited since they were sent. */
  readonly edited: readonly string[];
  /** The maximum cost of the lines that will be sent, without those whose price is unknown. */
  readonly cost: Money;
  /** How many of the lines that will be sent have no known price. */
  readonly unpriced: number;
}

/**
 * Reads the journal and checks the whole input. Nothing is written or sent.
 * @throws UsageError if lines are not valid, if the output belongs to another batch, shard or service, or if lines
 * would be sent again only because the default model has changed
 * @throws JournalInvalid if the journal cannot be used
 * @throws BudgetExceeded if there is a `maxCost`, and either the lines with an exact price cost more than is left of
 * it, or `needsPrices` is set and a price is not known
 */
export async function planBatch(options: BatchOptions): Promise<Plan> {
  const { files, out, shard, source, check, inputName, pricing, stopped } = options;
  await options.assertSameShards();
  const known = await readKnown(files, out);
  await assertOwnOutput(options, known);
  const edited: string[] = [];
  const earlier = { done: 0, failed: 0, unknown: 0 };
  let [toSend, cost, exactCost, unpriced] = [0, 0n, 0n, 0];
  const visit = (request: BatchRequest, entry: number, hash: string): void => {
    const state = known.ledger.state(entry);
    const isEdited = state !== "pending" && known.ledger.request(entry) !== hash;
    if (isEdited) edited.push(request.id);
    else if (state !== "pending") {
      earlier[state === "sent" ? "unknown" : state] += 1;
      return;
    }
    toSend += 1;
    const price = pricing.ceiling(request);
    if (price === undefined) unpriced += 1;
    else cost += price;
    if (price !== undefined && pricing.isExact(request.endpoint)) exactCost += price;
  };
  const { ledger } = known;
  const isOurs = (id: string) => shard === undefined || isOfShard(id, shard);
  const checked = await validate(source, { check, ledger, isOurs, visit, stopped });
  const { problems, problemCount, counts, total } = checked;
  if (problemCount > 0) throw invalidInput(inputName, problems, problemCount);
  assertSameModel(options, known, edited.length);
  assertAffordable(options, known, { exactCost, unpriced });
  return { known, counts, total, toSend, earlier, edited, cost, unpriced };
}

async function assertOwnOutput(options: BatchOptions, known: Known): Promise<void> {
  const { files, out, shard, service } = options;
  if (known.shard === undefined && ((await files.size(out)) ?? 0) > 0) {
    throw new UsageError(`--out ${out} exists, but its journal is missing or empty`, {
      hint: `Pass another --out. To continue an earlier batch, restore its journal, ${journalPath(out)}.`,
    });
  }
  const [before, now] = [known.shard ?? undefined, shard];
  if (known.shard === undefined) return;
  if (before?.count !== now?.count || before?.index !== now?.index) {
    throw new UsageError(
      `the journal of ${out} belongs to ${shardName(before)}, but this run is ${shardName(now)}`,
      {
        hint:
          before?.count === now?.count
            ? "Each shard has its own output."
            : "The number of shards cannot change once a batch has begun.",
      },
    );
  }
  // If every line is pending, for example after a mistyped base URL, the batch may use another service.
  const isBegun = known.ledger.count("pending") < known.ledger.size;
  if (isBegun && known.service !== undefined && service !== undefined && known.service !== service) {
    throw new UsageError(
      `lines of the batch ${out} were already sent to ${serviceText(known.service)}, but this run would send to ${serviceText(service)}`,
      {
        hint: "This run sent nothing. To continue the batch, use the same service. To send every line to the other service, and pay again, pass another --out.",
      },
    );
  }
}

/**
 * Throws `UsageError` if lines would be sent again only because the default model has changed, for example in the
 * profile. If the command line names another model, the lines count as edited.
 */
function assertSameModel({ out, prompts }: BatchOptions, { prompts: last }: Known, edited: number): void {
  if (edited === 0 || !prompts || prompts.isModelTyped || last?.endpoint !== prompts.endpoint) return;
  if (last.model === prompts.model) return;
  const text = (model: string | undefined) => (model === undefined ? "no model" : `the model ${model}`);
  const flag = (model: string) => `--model ${quoted(model)}`;
  throw new UsageError(
    `the prompts of ${out} were sent with ${text(last.model)}, but the default is now ${text(prompts.model)}: ${edited} ${edited === 1 ? "line" : "lines"} would be sent and paid for again`,
    {
      hint: [
        "Nothing was sent.",
        ...(last.model === undefined ? [] : [`To continue the batch, add ${flag(last.model)}.`]),
        ...(prompts.model === undefined
          ? []
          : [
              `To run all prompts with the new default model, add ${flag(prompts.model)} and pass another --out.`,
            ]),
      ].join(" "),
    },
  );
}

const shardName = (shard: Shard | undefined): string =>
  shard ? `shard ${shard.index} of ${shard.count}` : "a batch without shards";

function invalidInput(name: string, problems: readonly Problem[], count: number): UsageError {
  const issues = problems.map(({ line, message }) => ({ flag: `${name}:${line}`, message }));
  const more = count > problems.length ? ` The first ${problems.length} are listed.` : "";
  const [first] = issues;
  if (count === 1 && first)
    return new UsageError(`${first.flag}: ${first.message}`, { hint: "Nothing was sent." });
  return new UsageError(`${name} has ${count} invalid values`, { issues, hint: `Nothing was sent.${more}` });
}

function assertAffordable(
  { maxCost, needsPrices }: BatchOptions,
  { costs }: Known,
  { exactCost, unpriced }: { exactCost: Money; unpriced: number },
): void {
  if (maxCost === undefined) return;
  if (unpriced > 0 && needsPrices) {
    throw new BudgetExceeded(
      `the price of ${unpriced} of the lines is not known, so gpuctl cannot keep the cost within ${dollarText(maxCost)}`,
    );
  }
  const before = costs.spent + costs.uncertain;
  if (before + exactCost <= maxCost) return;
  const spent = before > 0n ? `, after ${dollarText(before)} so far` : "";
  throw new BudgetExceeded(
    `this would cost ${dollarText(exactCost)}${spent}; the limit is ${dollarText(maxCost)}`,
  );
}

/** The state of a running batch. */
export interface BatchStatus {
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly unknown: number;
  /** Lines without a result, including those in flight. */
  readonly left: number;
  readonly inFlight: number;
  /** How many requests may be in flight. */
  readonly concurrency: number;
  /**
   * Why the run waits: the error of the last request that made it wait. Undefined once a later request has succeeded or
   * failed.
   */
  readonly refusal: unknown;
  /** How many lines got their result in this run. */
  readonly finished: number;
  readonly spent: Money;
  readonly uncertain: Money;
  /** How many requests without a known price were charged or may have been charged. */
  readonly unpriced: number;
}

export interface StartedBatch {
  readonly status: () => BatchStatus;
  /**
   * Resolves with undefined when every line has a result, or with the reason if the run stops early. Rejects if the
   * disk fails; `unsaved` then returns the results that are not in the output.
   */
  readonly run: () => Promise<StopReason | undefined>;
  readonly unsaved: () => readonly string[];
}

/**
 * Opens a batch, runs `work` with it, and closes it. Throws as `openBatch` and `work` do.
 * @throws UsageError if another run has begun the batch with another number of shards since it was planned
 */
export async function withBatch<Value>(
  options: BatchOptions,
  { known, edited, total, earlier }: Plan,
  work: (batch: StartedBatch) => Promise<Value>,
): Promise<Value> {
  const { files, out, shard = null, now, sleep, assertSameShards } = options;
  const { recorder, adopted, close } = await openBatch({
    files,
    out,
    known,
    shard,
    again: edited,
    now,
    sleep,
    assertSameShards,
  });
  const { ledger, costs } = known;
  const isOurs = (id: string) => shard === null || isOfShard(id, shard);
  const run = new BatchRun({ ...options, ledger, costs, recorder, isOurs });
  const before = { ...earlier };
  for (const { id, event } of adopted) {
    if (ledger.line(ledger.add(id)) === 0 || edited.includes(id)) continue;
    before.unknown -= 1;
    before[event] += 1;
  }
  const status = (): BatchStatus => {
    const { done, failed, unknown } = run.results;
    const [allDone, allFailed, allUnknown] = [
      before.done + done,
      before.failed + failed,
      before.unknown + unknown,
    ];
    return {
      total,
      done: allDone,
      failed: allFailed,
      unknown: allUnknown,
      left: total - allDone - allFailed - allUnknown,
      inFlight: run.inFlight,
      concurrency: run.concurrency,
      refusal: run.refusal,
      finished: done + failed + unknown,
      spent: costs.spent,
      uncertain: costs.uncertain,
      unpriced: costs.unpriced,
    };
  };
  try {
    const { service } = options;
    const prompts = options.prompts && {
      endpoint: options.prompts.endpoint,
      model: options.prompts.model,
    };
    const extra = resultsOf(known) - (before.done + before.failed + before.unknown);
    await recorder.record({ event: "input", lines: total, extra, service, prompts });
    return await work({ status, run: () => run.run(), unsaved: () => recorder.unsaved });
  } finally {
    await close();
  }
}
