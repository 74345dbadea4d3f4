import { expect, test } from "vitest";
import { JournalCosts } from "../../src/batch/journal.ts";
import { Ledger } from "../../src/batch/ledger.ts";
import { mergedLines } from "../../src/batch/merge.ts";
import { scratchFolder } from "../media/scratch.ts";

test("a result that is longer than the limit of an input line can be merged", async () => {
  const ledger = new Ledger();
  ledger.setState(ledger.add("a"), "done");
  const text = `{"custom_id":"a","response":{"body":"${"x".repeat(66 * 1024 * 1024)}"}}\n`;
  const bytes = Buffer.from(text);
  const folder = await scratchFolder();
  const known = { ledger, costs: new JournalCosts(), lines: 1, extra: 0, outputEnd: bytes.length };
  const part = { out: `${folder}/out.jsonl`, shard: null, service: undefined, ...known };
  const lines = mergedLines([part], folder, {
    size: async () => bytes.length,
    read: async function* () {
      for (let at = 0; at < bytes.length; at += 1024 * 1024) yield bytes.subarray(at, at + 1024 * 1024);
    },
  });
  expect((await lines.next()).value === text).toBe(true);
});
