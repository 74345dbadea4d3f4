import { rmSync } from "node:fs";
import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { openBatch, readKnown } from "../../src/batch/engine/open.ts";
import { diskFiles } from "../../src/batch/files.ts";
import { journalLine, journalPath, readJournal } from "../../src/batch/journal.ts";
import { InUse } from "../../src/core/errors.ts";
import { scratchFolder } from "../media/scratch.ts";

const shard = { index: 0, count: 3 };

/** Opens a shard. After `meanwhile`, opening fails, because the batch has another number of shards. */
async function openRefused(out: string, meanwhile = async () => {}): Promise<unknown> {
  const known = await readKnown(diskFiles, out);
  const assertSameShards = async () => {
    await meanwhile();
    throw new Error("the batch has 2 shards");
  };
  const [now, sleep] = [() => 0, async () => {}];
  return openBatch({ files: diskFiles, out, known, shard, again: [], now, sleep, assertSameShards });
}

test("a new batch that is refused leaves no files", async () => {
  const folder = await scratchFolder();
  const out = join(folder, "answers.0-of-3.jsonl");
  await expect(openRefused(out)).rejects.toThrow("the batch has 2 shards");
  expect(await readdir(folder)).toEqual([]);
});

test("a new batch that is refused does not remove an output that existed before", async () => {
  const folder = await scratchFolder();
  const out = join(folder, "answers.0-of-3.jsonl");
  await writeFile(out, "");
  await expect(openRefused(out)).rejects.toThrow("the batch has 2 shards");
  expect(await readdir(folder)).toEqual(["answers.0-of-3.jsonl"]);
});

test("a refused run does not remove the journal of the run that took over its lock", async () => {
  const out = join(await scratchFolder(), "answers.0-of-3.jsonl");
  const record = journalLine({ event: "input", lines: 4 });
  const takeOver = () => appendFile(journalPath(out), record);
  await expect(openRefused(out, takeOver)).rejects.toThrow("the batch has 2 shards");
  expect(await readFile(journalPath(out), "utf8")).toBe(journalLine({ event: "header", shard }) + record);
});

test.each([
  ["no journal", ""],
  ["a journal", journalLine({ event: "header", shard })],
  ["a journal with a torn line", `${journalLine({ event: "header", shard })}{"event":"se`],
])(
  "a suspended run that had found %s does not change the journal of the run that took over the batch",
  async (_, before) => {
    const out = join(await scratchFolder(), "answers.0-of-3.jsonl");
    if (before !== "") await writeFile(journalPath(out), before);
    const known = await readKnown(diskFiles, out);
    const options = { files: diskFiles, out, shard, again: [], now: () => 0, sleep: async () => {} };
    const other = await openBatch({ ...options, known: await readKnown(diskFiles, out) });
    await other.recorder.record({ event: "send", id: "a", request: "0123456789abcdef", cost: undefined });
    const journal = await readFile(journalPath(out), "utf8");
    await expect(openBatch({ ...options, known })).rejects.toBeInstanceOf(InUse);
    expect(await readFile(journalPath(out), "utf8")).toBe(journal);
    await other.recorder.result(
      { event: "done", id: "a", cost: undefined, code: undefined },
      '{"custom_id":"a"}\n',
    );
    await other.close();
    expect((await readKnown(diskFiles, out)).ledger.count("done")).toBe(1);
  },
);

test("a batch that an earlier run has started continues without a check of its number of shards", async () => {
  const out = join(await scratchFolder(), "answers.0-of-3.jsonl");
  await writeFile(journalPath(out), journalLine({ event: "header", shard }));
  const { known, again } = { known: await readKnown(diskFiles, out), again: [] };
  const refuse = () => Promise.reject(new Error("the batch has 2 shards"));
  const [now, sleep] = [() => 0, async () => {}];
  const batch = await openBatch({
    files: diskFiles,
    out,
    known,
    shard,
    again,
    now,
    sleep,
    assertSameShards: refuse,
  });
  await batch.close();
});

test("the journal of a refused run may be removed while another run reads it", async () => {
  const folder = await scratchFolder();
  for (let round = 0; round < 120; round += 1) {
    const path = join(folder, `${round}.journal`);
    await writeFile(path, journalLine({ event: "header", shard }));
    const records = readJournal(path, diskFiles.read(path));
    const reading = records.next();
    for (let turn = 0; turn < round % 6; turn += 1) await setImmediate();
    rmSync(path);
    await expect(reading).resolves.toBeDefined();
    await records.return(undefined);
  }
});
