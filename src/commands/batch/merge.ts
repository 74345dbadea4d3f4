import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { assertReadable, chunksOf } from "../../batch/files.ts";
import { jsonLines, type Source } from "../../batch/input/lines.ts";
import { journalPath } from "../../batch/journal.ts";
import { assertTogether, type Missing, mergedLines, missingByCount, missingFrom } from "../../batch/merge.ts";
import {
  missingOutputs,
  missingShards,
  outputsAt,
  outputsWithoutJournal,
  type Part,
  readPart,
  runningProcess,
  wholeOutput,
} from "../../batch/outputs.ts";
import { arg } from "../../command-kit/arg.ts";
import type { Context } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { BatchNeedsLook, BatchUnfinished, InUse, readFailed, UsageError } from "../../core/errors.ts";
import { dollarNumber, type Money } from "../../core/values/money.ts";
import { save } from "../../media/save.ts";
import { exampleShards } from "./examples.ts";
import { assertNotStdout, costText, counted } from "./format.ts";

export default defineCommand({
  path: "batch merge",
  summary: "Join the outputs of all shards, and check that no result is missing",
  details:
    "With --requests, checks that each line of that file has one result. Without --requests, only compares the number of results with the number of lines that the runs counted in the input. The exit code is 12 if lines failed or their outcome is unknown. Otherwise, it is 9 if lines have no result, were changed after they were sent, or cannot be counted. The merged file is written in all these cases.",
  args: [
    arg.texts("OUT", "The output of the whole batch, the outputs of its shards, or a folder with outputs", {
      required: true,
    }),
  ],
  flags: {
    out: flag.text("Where to write the results", {
      value: "FILE",
      defaultText: "the output of the whole batch: answers.jsonl for answers.0-of-8.jsonl",
    }),
    requests: flag.text("The file of requests, to check that each has a result", { value: "FILE" }),
    force: flag.boolean("Replace an existing file"),
  },
  view: {
    kind: "record",
    columns: [
      { title: "OUTPUT", paths: ["out"] },
      { title: "SUCCEEDED", paths: ["succeeded"] },
      { title: "FAILED", paths: ["failed"] },
      { title: "UNKNOWN", paths: ["unknown"] },
      { title: "MISSING", paths: ["missing"] },
      { title: "COST", paths: ["dollars"], format: "dollars" },
    ],
    id: ["out"],
  },
  examples: [
    {
      text: "Merge the shards of answers.jsonl",
      command: "gpuctl batch merge answers.jsonl",
      after: exampleShards,
    },
    {
      text: "Merge two outputs into another file",
      command: "gpuctl batch merge answers.0-of-2.jsonl answers.1-of-2.jsonl --out all.jsonl",
      after: exampleShards,
    },
  ],
  run: async ({ args: { out: given }, flags, files, settings, say }) => {
    assertNotStdout(flags.out);
    const { parts, withoutHeader } = await partsAt(given, files);
    assertTogether(parts);
    const missingOuts = missingOutputs(parts);
    const merged = parts[0]?.shard ? wholeOutput(parts[0].out) : undefined;
    // Leaves out missing shards, which the failure names by their index, and the merged output, which is not an input.
    const notRun = withoutHeader.filter((out) => !missingOuts.includes(out) && out !== merged);
    await assertJournals([...missingOuts, ...notRun]);
    const path = files.resolve(flags.out ?? defaultOutput(parts));
    if ([...parts.map(({ out }) => out), ...notRun].includes(path)) {
      throw new UsageError(`--out ${flags.out ?? path} is one of the outputs to merge`, {
        hint: "Name another file with --out.",
      });
    }
    if (flags.requests !== undefined && files.resolve(flags.requests) === path) {
      throw new UsageError("--out and --requests name the same file");
    }
    const input = flags.requests === undefined ? undefined : await requestsOf(flags.requests, files);
    // Reads the input before anything is written, because it may have invalid lines.
    const count = () => (notRun.length > 0 ? undefined : missingByCount(parts));
    const missing = input === undefined ? count() : await missingFrom(parts, input);
    const lines = mergedLines(parts, dirname(path));
    if (settings.dryRun) for await (const _ of lines);
    else await save(path, lines, { force: flags.force, failIfExists: true });
    const results = resultCounts(parts);
    const shards = missingShards(parts);
    const data = { out: path, ...results, missing: missing?.count ?? null, missingShards: shards };
    const { spent, uncertain } = costsOf(parts);
    if (missing?.extra)
      say(`${counted(missing.extra, "result does", "results do")} not belong to a line of the input.`);
    return {
      data: { ...data, dollars: dollarNumber(spent), uncertainDollars: dollarNumber(uncertain) },
      rows: { ...data, dollars: costText(spent, uncertain) },
      failure: failureOf(results, missing, { shards, notRun }),
    };
  },
});

/**
 * Reads the outputs with their journals. Outputs whose journal is still empty are in `withoutHeader`. Throws `InUse` if
 * an output is being written.
 */
async function partsAt(
  given: readonly string[],
  { resolve, processes }: Context["files"],
): Promise<{ readonly parts: readonly Part[]; readonly withoutHeader: readonly string[] }> {
  const outputs = await Promise.all(given.map((path) => outputsAt(resolve(path))));
  const parts: Part[] = [];
  const withoutHeader: string[] = [];
  for (const out of new Set(outputs.flat())) {
    const process = await runningProcess(out, processes);
    if (process !== undefined) {
      throw new InUse(
        `${out} is being written by process ${process}`,
        "`gpuctl batch status` shows the progress.",
      );
    }
    const part = await readPart(out);
    if (part) parts.push(part);
    else withoutHeader.push(out);
  }
  return { parts, withoutHeader };
}

/** Throws `UsageError` if one of these outputs has lines, but its journal is missing or empty. */
async function assertJournals(outputs: readonly string[]): Promise<void> {
  const [out] = await outputsWithoutJournal(outputs);
  if (out === undefined) return;
  throw new UsageError(`${out} has lines, but its journal is missing or empty`, {
    hint: `Restore ${journalPath(out)}. Without it, the batch cannot be continued.`,
  });
}

/**
 * Returns the path of the whole batch's output, in the folder of the first output to merge. Throws `UsageError` if the
 * first output does not belong to a shard.
 */
function defaultOutput([first]: readonly Part[]): string {
  const name = first && basename(first.out);
  if (!first?.shard || name === undefined || wholeOutput(name) === name) {
    throw new UsageError(
      "--out is required unless the outputs to merge are those of shards, such as answers.0-of-8.jsonl",
    );
  }
  return join(dirname(first.out), wholeOutput(name));
}

/**
 * The lines of the file that `--requests` names. Throws `UsageError` if that path is a folder or cannot be opened. A
 * pipe is opened only once, when it is read.
 */
async function requestsOf(name: string, { resolve }: Context["files"]): Promise<Source> {
  const path = resolve(name);
  const failed = (error: unknown) => readFailed("--requests", name, error);
  const facts = await stat(path).catch((error: unknown) => {
    throw failed(error);
  });
  if (facts.isDirectory()) throw new UsageError(`--requests ${name} is a folder`);
  if (facts.isFile()) await assertReadable(path, failed);
  return jsonLines(name, () => chunksOf(path, { failed }));
}

interface Results {
  readonly succeeded: number;
  readonly failed: number;
  readonly unknown: number;
}

function resultCounts(parts: readonly Part[]): Results {
  const count = (state: "done" | "failed" | "unknown" | "sent") =>
    parts.reduce((sum, { ledger }) => sum + ledger.count(state), 0);
  // The outcome of lines that were in flight when a run ended is also unknown.
  return { succeeded: count("done"), failed: count("failed"), unknown: count("unknown") + count("sent") };
}

function costsOf(parts: readonly Part[]): { readonly spent: Money; readonly uncertain: Money } {
  const total = (key: "spent" | "uncertain") => parts.reduce((sum, { costs }) => sum + costs[key], 0n);
  return { spent: total("spent"), uncertain: total("uncertain") };
}

function failureOf(
  { failed, unknown }: Results,
  missing: Missing | undefined,
  { shards, notRun }: { readonly shards: readonly number[]; readonly notRun: readonly string[] },
): Error | undefined {
  const { count = 0, changed = 0, ids = [] } = missing ?? {};
  const named = ids.length > 0 ? `: ${ids.join(", ")}${count > ids.length ? " …" : ""}` : "";
  const parts = [
    ...(failed > 0 ? [`${counted(failed, "line has", "lines have")} failed`] : []),
    ...(unknown > 0 ? [`the outcome of ${counted(unknown, "line")} is unknown`] : []),
    ...(shards.length > 0
      ? [`${shards.length === 1 ? "shard" : "shards"} ${shards.join(", ")} did not run`]
      : []),
    ...(notRun.length > 0 ? [`${notRun.join(", ")} did not run`] : []),
    ...(count > 0 ? [`${counted(count, "line has", "lines have")} no result${named}`] : []),
    ...(changed > 0
      ? [`${counted(changed, "line was", "lines were")} changed in the input after being sent`]
      : []),
    ...(missing === undefined && shards.length + notRun.length === 0
      ? ["the number of lines is not known without --requests"]
      : []),
  ];
  if (parts.length === 0) return undefined;
  const message = parts.join("; ");
  return failed + unknown > 0
    ? new BatchNeedsLook(
        message,
        "To retry lines that failed or have an unknown outcome, run `gpuctl batch retry`, then `gpuctl batch run`.",
      )
    : new BatchUnfinished(message, "Run the batch again: it sends only what is left.");
}
