import { relative } from "node:path";
import {
  lacksJournal,
  leftOf,
  missingShards,
  outputsAt,
  readPart,
  runningProcess,
  wholeOutput,
} from "../../batch/outputs.ts";
import { shardOutput } from "../../batch/shard.ts";
import { arg } from "../../command-kit/arg.ts";
import type { Context } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { dollarNumber, type Money } from "../../core/values/money.ts";
import { exampleShards } from "./examples.ts";
import { costText } from "./format.ts";

export default defineCommand({
  path: "batch status",
  summary: "Show the progress of a batch, with all its shards",
  details:
    "Next to each output is a journal, which records what was sent. This command reads the journals, so it works while the batch runs, too, and on any machine that shares the storage. LEFT is the number of input lines that are not counted in SUCCEEDED, FAILED or UNKNOWN. If STATE is `no journal`, the output has lines, but its journal is missing or empty. Restore the journal: without it, the batch cannot be continued. COST is what was spent, without lines whose price is not known; a range such as $1.00 to $2.00 means that up to $2.00 may have been charged.",
  args: [
    arg.texts("OUT", "A folder with outputs, the output of a whole batch, or the outputs of shards", {
      required: true,
    }),
  ],
  view: {
    kind: "list",
    columns: [
      { title: "OUTPUT", paths: ["out"], whole: true },
      { title: "STATE", paths: ["state"] },
      { title: "SUCCEEDED", paths: ["succeeded"], format: "number" },
      { title: "FAILED", paths: ["failed"], format: "number" },
      { title: "UNKNOWN", paths: ["unknown"], format: "number" },
      { title: "LEFT", paths: ["left"], format: "number" },
      { title: "COST", paths: ["dollars"], format: "dollars" },
      { title: "PROCESS", paths: ["process"], priority: 1 },
    ],
    empty: "No batches.",
    id: ["out"],
  },
  examples: [
    { text: "Show all batches in a folder", command: "gpuctl batch status .", after: exampleShards },
    {
      text: "Show the shards of a batch",
      command: "gpuctl batch status answers.jsonl",
      after: exampleShards,
    },
  ],
  run: async ({ args, files }) => {
    const outputs = await Promise.all(args.out.map((path) => outputsAt(files.resolve(path))));
    const found = new Map<string, Row>();
    const add = async (path: string, shard: ShardFields | undefined = undefined) => {
      const row = await rowOf(path, files);
      found.set(row.out, { ...row, ...shard });
    };
    for (const out of new Set(outputs.flat())) await add(out);
    // If the user names the output of a shard instead of a whole batch or a folder, no other shards are added.
    if (!args.out.some((path) => outputs.flat().includes(files.resolve(path))))
      for (const { out, ...shard } of withoutJournal([...found.values()]))
        await add(files.resolve(out), shard);
    const rows = [...found.values()];
    rows.sort((one, other) => compare(one.out, other.out));
    const total = totalOf(rows);
    return {
      data: rows.map(({ spent, uncertain, ...row }) => ({
        ...row,
        dollars: dollarNumber(spent),
        uncertainDollars: dollarNumber(uncertain),
      })),
      rows: rows.map(({ spent, uncertain, ...row }) => ({ ...row, dollars: costText(spent, uncertain) })),
      note: rows.length > 1 ? total : undefined,
    };
  },
});

const { compare } = new Intl.Collator("en", { numeric: true });

interface ShardFields {
  readonly shard: number | null;
  readonly shards: number | null;
}

interface Row extends ShardFields {
  readonly out: string;
  readonly state: "running" | "stopped" | "complete" | "not started" | "no journal";
  readonly succeeded: number;
  readonly failed: number;
  /** Includes lines that were in flight when a run ended. */
  readonly unknown: number;
  /** Null if no run has read the input to its end. */
  readonly left: number | null;
  readonly spent: Money;
  readonly uncertain: Money;
  readonly process: string | null;
}

async function rowOf(out: string, { resolve, processes }: Context["files"]): Promise<Row> {
  const part = await readPart(out);
  const process = (await runningProcess(out, processes)) ?? null;
  const shown = { out: shownPath(out, resolve(".")) };
  if (!part) {
    const state = process !== null ? "running" : (await lacksJournal(out)) ? "no journal" : "not started";
    return { ...shown, ...nothing, state, process };
  }
  const { ledger, costs, shard } = part;
  const unknown = ledger.count("unknown") + (process === null ? ledger.count("sent") : 0);
  const left = leftOf(part, { isRunning: process !== null }) ?? null;
  return {
    ...shown,
    shard: shard?.index ?? null,
    shards: shard?.count ?? null,
    state: process !== null ? "running" : left === 0 ? "complete" : "stopped",
    succeeded: ledger.count("done"),
    failed: ledger.count("failed"),
    unknown,
    left,
    spent: costs.spent,
    uncertain: costs.uncertain,
    process,
  };
}

const nothing = {
  shard: null,
  shards: null,
  succeeded: 0,
  failed: 0,
  unknown: 0,
  left: null,
  spent: 0n,
  uncertain: 0n,
} as const;

/** Returns the path relative to `folder` if it is inside that folder; otherwise, the path unchanged. */
function shownPath(path: string, folder: string): string {
  const way = relative(folder, path);
  return way.startsWith("..") ? path : way;
}

/** For each batch that is split into shards, the shards whose journal is missing or empty. */
function withoutJournal(rows: readonly Row[]): readonly (ShardFields & { readonly out: string })[] {
  const batches = new Map<string, (Row & { readonly shards: number })[]>();
  for (const row of rows) {
    if (row.shards === null) continue;
    const name = `${wholeOutput(row.out)} ${row.shards}`;
    batches.set(name, [...(batches.get(name) ?? []), { ...row, shards: row.shards }]);
  }
  return [...batches.values()].flatMap((batch) => {
    const [{ out, shards } = { out: "", shards: 0 }] = batch;
    const parts = batch.map(({ shard, shards }) => ({
      shard: shard === null ? null : { index: shard, count: shards },
    }));
    return missingShards(parts).map((shard) => ({
      out: shardOutput(wholeOutput(out), { index: shard, count: shards }),
      shard,
      shards,
    }));
  });
}

function totalOf(rows: readonly Row[]): string {
  const total = (key: "succeeded" | "failed" | "unknown") => rows.reduce((sum, row) => sum + row[key], 0);
  const lefts = rows.map(({ left }) => left);
  const left = lefts.some((one) => one === null)
    ? "an unknown number left"
    : `${lefts.reduce<number>((sum, one) => sum + (one ?? 0), 0)} left`;
  const money = (key: "spent" | "uncertain") => rows.reduce((sum, row) => sum + row[key], 0n);
  const cost = costText(money("spent"), money("uncertain"));
  return `Total: ${total("succeeded")} succeeded, ${total("failed")} failed, ${total("unknown")} unknown, ${left}, ${cost}`;
}
