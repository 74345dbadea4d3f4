import { stat } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import type { BatchOptions, BatchStatus, Plan, StartedBatch } from "../../batch/engine/batch.ts";
import type { StopReason } from "../../batch/engine/run.ts";
import { shardFolder, shardFor, shardOutput, shareOfCeiling } from "../../batch/shard.ts";
import { arg } from "../../command-kit/arg.ts";
import type { Context } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { type FlagValues, flag } from "../../command-kit/flag.ts";
import {
  BatchNeedsLook,
  BatchUnfinished,
  BudgetExceeded,
  DiskFailed,
  Interrupted,
  ResultLost,
  readFailed,
  reasonOf,
  StoredElsewhere,
  UsageError,
} from "../../core/errors.ts";
import type { Result } from "../../core/result.ts";
import { ServiceError, UnknownOutcome } from "../../core/service-errors.ts";
import { commandLine } from "../../core/text.ts";
import { baseUrlFor, originOf } from "../../core/urls.ts";
import { askedWait } from "../../core/values/durations.ts";
import { dollarNumber, dollarText, type Money } from "../../core/values/money.ts";
import type { RecordView } from "../../core/view.ts";
import { exampleInput, examplePrompts } from "./examples.ts";
import { assertNotStdout, costText, refusalText } from "./format.ts";
import { assertPrompts, defaultModelFlag, modelField, pricesFlag, pricesOf } from "./profile.ts";

const runFlags = {
  out: flag.text(
    "Output file, with one line for each line of the input, in any order. A shard writes its own file next to it, such as answers.0-of-8.jsonl for answers.jsonl",
    { value: "FILE" },
  ),
  prompts: flag.text(
    "Read prompts from a file: one per line, or a CSV file whose columns are named after fields of the request",
    {
      value: "FILE",
    },
  ),
  endpoint: flag.choice("What to generate from the prompts", ["chat", "image", "tts"]),
  model: flag.text("Model for the prompts", { short: "m", value: "NAME" }),
  ...defaultModelFlag,
  param: flag.params("Set a field of every request that is made from a prompt"),
  files: flag.text("Folder for images and audio files; each shard uses a folder in it", {
    value: "FOLDER",
    defaultText: "the name of the output, with .files instead of .jsonl",
  }),
  noMetadata: flag.boolean("Do not write the settings into images"),
  concurrency: flag.integer(
    "Maximum number of requests at once; lowered while the service asks to slow down",
    {
      default: "8",
      minimum: 1,
      maximum: 1024,
    },
  ),
  maxCost: flag.dollars(
    "Maximum cost of the batch over all its runs, in dollars; each shard gets an equal share",
  ),
  defaultMaxCost: flag.dollars(
    "Maximum cost if --max-cost is not set; does not stop lines whose price is not known. `gpuctl batch manifest` sets this flag in its jobs, because they may run without your profile",
    { defaultText: "budget.maxCost of the profile" },
  ),
  ...pricesFlag,
  giveUpAfter: flag.duration("Stop if the service refuses everything, or is unreachable, for this long", {
    default: "10m",
  }),
  shard: flag.text(
    "Run only shard I of N, such as 0/8 for the first of eight; a line is in the same shard on every machine",
    {
      value: "I/N",
    },
  ),
  shards: flag.integer("Number of shards; the index of this shard comes from Kubernetes, Slurm or GitLab", {
    minimum: 1,
  }),
  statusJson: flag.text("Keep the status in a JSON file, for other programs", { value: "FILE" }),
} as const;

type RunFlags = FlagValues<typeof runFlags>;

export default defineCommand({
  path: "batch run",
  summary: "Run a file of chats, images and speech",
  details: [
    'Each line of INPUT is a request: {"custom_id":"1","method":"POST","url":"/v1/chat/completions","body":{...}}. The whole file is checked before anything is sent.',
    "A journal next to the output records what was sent. If a run stops early, run the same command again: it sends the lines that are left and the lines that you edited. A line that succeeded is sent again only if its request changes, for example because you edit the line or change --param.",
    "Requests that were refused with 429, or never left this computer, are repeated. A line that failed, or whose outcome is unknown (for example after a 5xx, a timeout or an incomplete response), is not sent again until you edit it or use `gpuctl batch retry`.",
    "Ctrl-C waits for the requests in flight, and a second Ctrl-C stops at once.",
  ].join(" "),
  effect: "generate",
  args: [arg.text("INPUT", "The requests, as JSON lines", { replacedByFlag: "prompts" })],
  flags: runFlags,
  uses: ["environment", "installation", "attendance", "preload", "typedFlags"],
  view: {
    kind: "record",
    columns: [
      { title: "OUTPUT", paths: ["out"] },
      { title: "LINES", paths: ["lines"] },
      { title: "SUCCEEDED", paths: ["succeeded"] },
      { title: "FAILED", paths: ["failed"] },
      { title: "UNKNOWN", paths: ["unknown"] },
      { title: "LEFT", paths: ["left"] },
      { title: "COST", paths: ["dollars"], format: "dollars" },
      { title: "WITHOUT PRICE", name: "unpriced", paths: ["unpriced"] },
    ],
    id: ["out"],
  },
  examples: [
    {
      text: "Run a file of requests",
      command: "gpuctl batch run requests.jsonl --out answers.jsonl --sandbox",
      after: [exampleInput],
    },
    {
      text: "Generate an image for each line of a text file, for two dollars at most",
      command:
        "gpuctl batch run --prompts prompts.txt --endpoint image --out pictures.jsonl --max-cost 2 --sandbox",
      after: [examplePrompts],
    },
    {
      text: "Check a file without sending it",
      command: "gpuctl batch run requests.jsonl --dry-run --sandbox",
      after: [exampleInput],
    },
  ],
  run: async ({ args, flags, environment, installation, attendance, preload, typedFlags, ...context }) => {
    const { settings, files, say, now } = context;
    const isOutMissing = flags.out === undefined && !settings.dryRun;
    const input = flags.prompts ?? args.input;
    if (input === undefined || isOutMissing) {
      const missing = [
        ...(input === undefined ? ["INPUT or --prompts"] : []),
        ...(isOutMissing ? ["--out"] : []),
      ];
      throw new UsageError(`missing required input: ${missing.join(", ")}`);
    }
    assertNotStdout(flags.out);
    if (flags.prompts !== undefined && args.input !== undefined) {
      throw new UsageError("INPUT and --prompts cannot be used together");
    }
    const shard = shardFor({ shard: flags.shard, shards: flags.shards, environment });
    const prices = pricesOf(flags.prices, settings);
    const { source, name, prompts } = await inputOf(input, flags, context);
    const whole = files.resolve(flags.out ?? "batch.jsonl");
    const out = shard ? shardOutput(whole, shard) : whole;
    if (flags.out !== undefined) await assertRegularFile(shard ? out : flags.out, out);
    const allFiles = files.resolve(flags.files ?? `${whole.replace(/\.jsonl$/, "")}.files`);
    const filesFolder = shard ? join(allFiles, shardFolder(shard)) : allFiles;
    const [
      { planBatch, withBatch },
      { endpoints },
      { createSend },
      { diskFiles, noFiles },
      { assertSameShards },
      { batchPricing },
      { bodyCheck },
    ] = await Promise.all([
      import("../../batch/engine/batch.ts"),
      import("../../batch/input/lines.ts"),
      import("../../batch/engine/send.ts"),
      import("../../batch/files.ts"),
      import("../../batch/outputs.ts"),
      import("./prices.ts"),
      import("./check.ts"),
    ]);
    const isLimitTyped = "max-cost" in typedFlags;
    const limit = isLimitTyped ? flags.maxCost : (flags.defaultMaxCost ?? flags.maxCost);
    const maxCost = limit !== undefined && shard ? shareOfCeiling(limit, shard) : limit;
    const fallbackFolders = [files.resolve("."), files.temporary];
    const sendOptions = { ...context, out, filesFolder, fallbackFolders, metadata: !flags.noMetadata };
    const batchOptions = (stopped: AbortSignal): BatchOptions => ({
      ...{ source, inputName: name, out, shard, prompts, maxCost, now, stopped },
      // Without --out, a dry run must not take the files of another batch for its own.
      files: flags.out === undefined ? noFiles : diskFiles,
      service: settings.sandbox ? "sandbox" : originOf(baseUrlFor(endpoints.chat, settings)),
      check,
      assertSameShards: async () => {
        if (flags.out !== undefined) await assertSameShards(whole, shard);
      },
      send: createSend({ ...sendOptions, version: settings.version }),
      pricing: batchPricing(prices),
      needsPrices: isLimitTyped,
      concurrency: flags.concurrency,
      patience: flags.giveUpAfter,
      sleep: context.sleep,
    });
    const check = await bodyCheck(context);
    const plan = (stopped: AbortSignal) =>
      context.progress("Checking the input", () => planBatch(batchOptions(stopped)));
    if (settings.dryRun) return planned(await plan(context.interrupted));

    const runPlanned = async (stopped: AbortSignal) => {
      const options = batchOptions(stopped);
      const ready = await plan(stopped);
      const { counts, unpriced } = ready;
      if (counts.image + counts.tts > 0) {
        await assertWritable(filesFolder, { makeFolders: true });
      }
      if (maxCost !== undefined && unpriced > 0) {
        say(
          `Warning: the price of ${unpriced} ${unpriced === 1 ? "line" : "lines"} is not known in advance, so budget.maxCost cannot be checked for ${unpriced === 1 ? "it" : "them"}.`,
        );
      }
      if (maxCost !== undefined && shard) {
        say(`This shard may cost ${dollarText(maxCost)}: an equal part of ${dollarText(limit ?? 0n)}.`);
      }
      say(planText(ready, shard !== undefined));
      const { withProgress } = await import("./progress.ts");
      const statusJson = flags.statusJson === undefined ? undefined : files.resolve(flags.statusJson);
      const inLines = !installation.terminal.stderr;
      return withBatch(options, ready, async (batch) => {
        const run = () => batch.run().catch((error: unknown) => keepUnsaved(batch, error, fallbackFolders));
        const stop = await withProgress(batch, run, { inLines, statusJson, stopped }, context);
        const status = batch.status();
        if (stop?.kind === "interrupted") context.setFailureContext(afterInterruption(status, out));
        return resultOf(status, stop, { out, maxCost, filesFolder });
      });
    };
    if (flags.statusJson !== undefined) {
      const path = files.resolve(flags.statusJson);
      await assertIsStatusFile(flags.statusJson, path, [files.resolve(input), out, whole]);
    }
    const { withBatchLock } = await import("./lock.ts");
    const { assertWritable } = await import("../../media/folders.ts");
    await assertWritable(dirname(out), { file: out });
    await preload("end");
    return attendance.interruptible((stopped) =>
      withBatchLock(out, context, () => runPlanned(stopped), stopped),
    );
  },
});

/** Returns the lines of the input, its name for errors, and the settings of prompts. */
async function inputOf(
  name: string,
  { prompts, endpoint, model, defaultModel, param }: RunFlags,
  { files, settings }: Pick<Context, "files" | "settings">,
): Promise<Pick<BatchOptions, "source" | "prompts"> & { readonly name: string }> {
  const from = prompts === undefined ? "INPUT" : "--prompts";
  if (name === "-") {
    throw new UsageError(`${from} cannot be stdin: the same input is read again when a batch is resumed`, {
      hint: "Save the input to a file, and give the path of that file. Nothing was sent.",
    });
  }
  const path = files.resolve(name);
  const facts = await stat(path).catch((error: unknown) => {
    throw readFailed(from, name, error, "Nothing was sent.");
  });
  if (!facts.isFile()) throw new UsageError(`${from} ${name} is not a regular file`);
  const { assertReadable, chunksOf } = await import("../../batch/files.ts");
  await assertReadable(path, (error) => readFailed(from, name, error, "Nothing was sent."));
  // The input is read again while lines are sent.
  const read = () => chunksOf(path, { failed: (error) => new DiskFailed("read", name, error) });
  if (prompts === undefined) {
    const extra = [
      ...(endpoint ? ["--endpoint"] : []),
      ...(model ? ["--model"] : []),
      ...(defaultModel ? ["--default-model"] : []),
    ];
    if (extra.length > 0 || Object.keys(param).length > 0) {
      throw new UsageError(
        `${extra[0] ?? "--param"} requires --prompts: the lines of INPUT are sent as they are`,
      );
    }
    const { jsonLines } = await import("../../batch/input/lines.ts");
    return { source: jsonLines(name, read), name, prompts: undefined };
  }
  if (endpoint === undefined) throw new UsageError("--prompts requires --endpoint chat, image or tts");
  assertPrompts("--prompts", name);
  const { csvPrompts, fieldsOfParams, textPrompts } = await import("../../batch/input/prompts.ts");
  const typed = fieldsOfParams(endpoint, param);
  const defaults: Readonly<Record<string, unknown>> = {
    ...modelField(endpoint, model ?? defaultModel, settings),
    ...typed,
  };
  const field = endpoint === "image" ? "model_name" : "model";
  const isModelTyped = model !== undefined || Object.hasOwn(typed, field);
  const used = defaults[field];
  const options = { path: name, read, endpoint, defaults };
  return {
    source: extname(name).toLowerCase() === ".csv" ? csvPrompts(options) : textPrompts(options),
    name,
    prompts: { endpoint, model: used === undefined ? undefined : String(used), isModelTyped },
  };
}

/** Throws `UsageError` if the output exists but is not a regular file, such as a folder or a pipe. */
async function assertRegularFile(shown: string, path: string): Promise<void> {
  const facts = await stat(path).catch(() => undefined);
  if (facts?.isFile() === false) {
    throw new UsageError(`--out ${shown} is not a regular file`, { hint: "Nothing was sent." });
  }
}

/**
 * Throws `UsageError` if `path` has a name that the batch's own files may have, or if it has contents other than an
 * earlier status.
 */
async function assertIsStatusFile(typed: string, path: string, others: readonly string[]): Promise<void> {
  const { isStatusFile } = await import("./progress.ts");
  const isOfBatch = others.some((other) => path === other || path.startsWith(`${other}.`));
  if (!isOfBatch && (await isStatusFile(path))) return;
  const what = isOfBatch
    ? "has a name that is reserved for the files of the batch"
    : "exists and does not hold the status of a batch";
  throw new UsageError(`--status-json ${typed} ${what}`, { hint: "Nothing was sent. Name another file." });
}

/** The result of a dry run. */
function planned({ counts, total, toSend, cost, unpriced }: Plan): Result {
  const data = { dry_run: true, lines: total, ...counts, toSend, dollars: dollarNumber(cost), unpriced };
  return { data, rows: { ...data, dollars: dollarText(cost) }, view: plannedView };
}

const plannedView: RecordView = {
  kind: "record",
  columns: [
    { title: "LINES", paths: ["lines"] },
    { title: "CHATS", name: "chat", paths: ["chat"] },
    { title: "IMAGES", name: "image", paths: ["image"] },
    { title: "SPEECH", name: "tts", paths: ["tts"] },
    { title: "TO SEND", paths: ["toSend"] },
    { title: "MAXIMUM COST", name: "dollars", paths: ["dollars"], format: "dollars" },
    { title: "WITHOUT PRICE", name: "unpriced", paths: ["unpriced"] },
  ],
  id: [],
};

/** A text such as `90 of 100 lines to send, $0.90 at most`. */
function planText({ total, toSend, cost, unpriced }: Plan, isShard: boolean): string {
  const price = cost > 0n ? [`${dollarText(cost)} at most`] : [];
  const more = unpriced > 0 ? [`${unpriced} at a price that is not known in advance`] : [];
  const lines = `${toSend} of ${total} lines${isShard ? " of this shard" : ""} to send`;
  return [lines, ...price, ...more].join(", ");
}

interface ResultOptions {
  readonly out: string;
  readonly filesFolder: string;
  readonly maxCost: Money | undefined;
}

/** Returns the result of the batch. Its failure determines the exit code. */
function resultOf(status: BatchStatus, stop: StopReason | undefined, options: ResultOptions) {
  const { total, done, failed, unknown, left, spent, uncertain, unpriced } = status;
  const data = { out: options.out, lines: total, succeeded: done, failed, unknown, left, unpriced };
  return {
    data: { ...data, dollars: dollarNumber(spent), uncertainDollars: dollarNumber(uncertain) },
    rows: { ...data, dollars: costText(spent, uncertain) },
    failure: failureOf(status, stop, options),
  };
}

/**
 * What the user has to know after Ctrl-C; undefined if no outcome is unknown. Includes the number of lines that are
 * left, because the message of the error is not printed after a second Ctrl-C.
 */
function afterInterruption({ total, unknown, left }: BatchStatus, out: string): string | undefined {
  if (unknown === 0) return undefined;
  const lines = `${unknown} ${unknown === 1 ? "has" : "have"} an unknown outcome`;
  const retry = commandLine("batch retry", [out], ["--unknown"]);
  const look = "look at them in the output, and run";
  if (left === 0) {
    return `Of ${total} lines, ${lines}. To send them again, ${look} \`${retry}\`, and then the same command line again.`;
  }
  return `Of ${total} lines, ${lines}, and ${left} ${left === 1 ? "is" : "are"} left. Run the same command line again to send the rest. To send the lines with an unknown outcome again, too, ${look} \`${retry}\` first.`;
}

/**
 * Returns the failure of the run; undefined if nothing stopped the run and every line succeeded. An interruption or a
 * fatal error takes precedence over lines that someone has to look at, and these take precedence over lines that may
 * simply be sent again.
 */
function failureOf(
  { total, failed, unknown, left }: BatchStatus,
  stop: StopReason | undefined,
  { out, maxCost, filesFolder }: ResultOptions,
): Error | undefined {
  const again = "Run the same command line again to send the rest.";
  if (stop?.kind === "interrupted") {
    return new Interrupted(
      left === 0
        ? "interrupted, but each line has a result"
        : `interrupted with ${left} of ${total} lines left. ${again}`,
    );
  }
  if (stop?.kind === "fatal" && stop.error instanceof Error) return withFilesFolder(stop.error, filesFolder);
  const [reason, asks] = giveUpTexts(stop);
  const limitText = `the next line could exceed the limit of ${dollarText(maxCost ?? 0n)}`;
  if (failed + unknown > 0) {
    const parts = [
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(unknown > 0 ? [`${unknown} ${unknown === 1 ? "has" : "have"} an unknown outcome`] : []),
      ...(left > 0 ? [`${left} ${left === 1 ? "is" : "are"} left`] : []),
    ];
    const flags = [...(failed > 0 ? ["--failed"] : []), ...(unknown > 0 ? ["--unknown"] : [])];
    const retry = commandLine("batch retry", [out], flags);
    const why =
      stop?.kind === "failing"
        ? `: stopped after ${stop.count} lines in a row without a success`
        : stop?.kind === "ceiling"
          ? `: ${limitText}`
          : reason;
    return new BatchNeedsLook(
      `of ${total} lines, ${parts.join(", ")}${why}`,
      `${asks}Look at these lines in the output. To send them again, run \`${retry}\`, and then this command line again.`,
    );
  }
  if (stop?.kind === "ceiling") {
    return new BudgetExceeded(
      `${left} of ${total} lines are left: ${limitText}`,
      "To send them, run the same command line again with a higher --max-cost. Lines that are done are not sent again.",
    );
  }
  if (left === 0) return undefined;
  return new BatchUnfinished(`${left} of ${total} lines are left${reason}`, `${asks}${again}`);
}

/** If results could not be saved in the folder for files, the error also says so, and what to do. */
function withFilesFolder(error: Error, folder: string): Error {
  const isLost = error instanceof ResultLost;
  if (!isLost && !(error instanceof StoredElsewhere)) return error;
  const message = `the run stopped because files could not be saved in ${folder}: ${error.message}`;
  const hint = "Make room or restore the folder. Then run the same command line again.";
  return isLost
    ? new ResultLost(message, {
        hint: `You were charged for the result, and it could not be saved anywhere. ${hint}`,
      })
    : new StoredElsewhere(message, { hint });
}

/** Why the run gave up, and how long the service asks to wait. Empty if it did not give up. */
function giveUpTexts(stop: StopReason | undefined): readonly [reason: string, asks: string] {
  if (stop?.kind !== "given up") return ["", ""];
  const { error } = stop;
  const { retryAfter } =
    (error instanceof UnknownOutcome ? error.reply : error instanceof ServiceError ? error : undefined) ?? {};
  const asks = askedWait(retryAfter);
  return [`: ${refusalText(error)}`, asks === undefined ? "" : `${asks} `];
}

/** If results could not be written to the output, saves them in one of the folders. Always throws. */
async function keepUnsaved(
  { unsaved }: StartedBatch,
  error: unknown,
  folders: readonly string[],
): Promise<never> {
  const lines = unsaved();
  if (lines.length === 0) throw error;
  const { saveInFirst } = await import("../../media/output-target.ts");
  const path = await saveInFirst(folders, "batch-results.jsonl", Buffer.from(lines.join("")));
  const what = lines.length === 1 ? "1 result" : `${lines.length} results`;
  const reason = `${what} could not be written: ${error instanceof DiskFailed ? error.reason : reasonOf(error)}`;
  if (path === undefined) throw new ResultLost(reason);
  throw new StoredElsewhere(
    `${reason}. Saved to ${path} instead, because you were charged for ${lines.length === 1 ? "it" : "them"}.`,
  );
}
