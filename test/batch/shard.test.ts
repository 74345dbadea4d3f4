import { describe, expect, test } from "vitest";
import { journalLine, readJournal } from "../../src/batch/journal.ts";
import { isOfShard, shardFor, shardIndex, shardOutput, shareOfCeiling } from "../../src/batch/shard.ts";
import { parseMoney } from "../../src/core/values/money.ts";
import { fc, runs } from "../support/property.ts";

const shard = (shard: string | undefined, shards?: number, environment: Record<string, string> = {}) =>
  shardFor({ shard, shards, environment });

test("without a flag there are no shards, whatever the environment says", () => {
  expect(shard(undefined, undefined, { JOB_COMPLETION_INDEX: "3" })).toBeUndefined();
});

test.each(["0/1", "0/8", "7/8"])("--shard %s selects that shard", (text) => {
  const [index, count] = text.split("/").map(Number);
  expect(shard(text)).toEqual({ index, count });
});

test.each(["8/8", "9/8", "0/0", "1", "1/", "/8", "-1/8", "1.5/8", "1 / 8", "", "1/8/2"])(
  "--shard %j is refused",
  (text) => {
    expect(() => shard(text)).toThrow(/--shard must be I\/N/);
  },
);

test("--shard and --shards must give the same number of shards", () => {
  expect(shard("3/8", 8)).toEqual({ index: 3, count: 8 });
  expect(() => shard("3/8", 4)).toThrow("--shard 3/8 and --shards 4 differ");
});

test("there are at most 100,000 shards", () => {
  expect(shard("0/100000")).toEqual({ index: 0, count: 100_000 });
  expect(() => shard("0/100001")).toThrow("there can be at most 100000 shards, not 100001");
  expect(() => shard(undefined, 100_001, { JOB_COMPLETION_INDEX: "1" })).toThrow("at most 100000 shards");
});

test.each([
  { index: 0, count: 5e9 },
  { index: 0.5, count: 2 },
  { index: -1, count: 2 },
  { index: 2, count: 2 },
])("a journal that names shard $index of $count is reported as damaged", async (shard) => {
  const lines = [journalLine({ event: "header", shard }), journalLine({ event: "input", lines: 1 })];
  const read = async function* () {
    yield Buffer.from(lines.join(""));
  };
  const records = readJournal("out.jsonl.journal", read());
  await expect(records.next()).rejects.toThrow("out.jsonl.journal:1 is damaged");
});

describe("--shards", () => {
  const array = (id: number, min: number, count: number) => ({
    SLURM_ARRAY_TASK_ID: String(id),
    SLURM_ARRAY_TASK_MIN: String(min),
    SLURM_ARRAY_TASK_COUNT: String(count),
  });
  test.each([
    ["a Kubernetes Indexed Job", { JOB_COMPLETION_INDEX: "3" }, 3],
    ["a Slurm array from 0", array(3, 0, 8), 3],
    ["a Slurm array from 1", array(3, 1, 8), 2],
    ["a rerun of one task of a Slurm array", array(3, 3, 1), 3],
    ["a rerun of two tasks of a Slurm array", array(6, 3, 2), 6],
    ["a Slurm array without a count", { SLURM_ARRAY_TASK_ID: "5", SLURM_ARRAY_TASK_MIN: "1" }, 4],
    ["GitLab", { CI_NODE_INDEX: "8", CI_NODE_TOTAL: "8" }, 7],
    ["two variables that agree", { CI_NODE_INDEX: "4", JOB_COMPLETION_INDEX: "3" }, 3],
    ["one variable, if another is empty", { CI_NODE_INDEX: "4", JOB_COMPLETION_INDEX: "" }, 3],
  ])("takes the index from %s", (_name, environment, index) => {
    expect(shard(undefined, 8, environment)).toEqual({ index, count: 8 });
  });

  test.each([
    [{}, /--shards needs JOB_COMPLETION_INDEX, SLURM_ARRAY_TASK_ID or CI_NODE_INDEX/],
    [
      { JOB_COMPLETION_INDEX: "x" },
      'JOB_COMPLETION_INDEX must be a whole number of at most 9 digits, not "x"',
    ],
    [{ JOB_COMPLETION_INDEX: "8" }, "JOB_COMPLETION_INDEX means shard 8, but --shards 8 has shards 0 to 7"],
    [array(9, 9, 1), "SLURM_ARRAY_TASK_ID means shard 9, but --shards 8 has shards 0 to 7"],
    [{ CI_NODE_INDEX: "0" }, "CI_NODE_INDEX means shard -1"],
    [{ CI_NODE_INDEX: "1", CI_NODE_TOTAL: "4" }, "CI_NODE_TOTAL is 4, but --shards is 8"],
    [
      { CI_NODE_INDEX: "1", JOB_COMPLETION_INDEX: "3" },
      "JOB_COMPLETION_INDEX means shard 3, but CI_NODE_INDEX means shard 0",
    ],
  ])("rejects variables that are missing, invalid or contradictory: %j", (environment, message) => {
    expect(() => shard(undefined, 8, environment)).toThrow(message);
  });
});

test("each line belongs to one shard, and the shards have about the same size", () => {
  const sizes = Array.from({ length: 8 }, () => 0);
  for (let number = 0; number < 2000; number += 1) {
    const owners = sizes.flatMap((_, index) =>
      isOfShard(`request-${number}`, { index, count: 8 }) ? [index] : [],
    );
    expect(owners).toHaveLength(1);
    sizes[owners[0] ?? 0] = (sizes[owners[0] ?? 0] ?? 0) + 1;
  }
  for (const size of sizes) expect(Math.abs(size - 250)).toBeLessThan(60);
});

test("the shard of an ID is the same in every version of gpuctl", () => {
  expect(["request-1", "request-2", "ünïcode", ""].map((id) => shardIndex(id, 1000))).toEqual([
    221, 658, 414, 124,
  ]);
});

test.each([
  ["answers.jsonl", "answers.3-of-8.jsonl"],
  ["out/answers", "out/answers.3-of-8.jsonl"],
  ["answers.ndjson", "answers.ndjson.3-of-8.jsonl"],
])("the output of shard 3 of %s is %s", (out, expected) => {
  expect(shardOutput(out, { index: 3, count: 8 })).toBe(expected);
});

test("the shares of a cost limit add up to the limit, or are less than a millionth of a dollar short of it", () => {
  const amounts = fc.integer({ min: 0, max: 1e12 });
  fc.assert(
    fc.property(amounts, fc.integer({ min: 1, max: 999 }), (micros, count) => {
      const ceiling = parseMoney((micros / 1e6).toFixed(6), "--max-cost");
      const total = shareOfCeiling(ceiling, { index: 0, count }) * BigInt(count);
      expect(total <= ceiling).toBe(true);
      expect(ceiling - total < parseMoney("0.000001", "--max-cost")).toBe(true);
    }),
    runs(100),
  );
});
