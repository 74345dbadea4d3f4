import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planBatch, withBatch } from "../../src/batch/engine/batch.ts";
import { diskFiles } from "../../src/batch/files.ts";
import { jsonLines, type Source } from "../../src/batch/input/lines.ts";
import { csvPrompts, textPrompts } from "../../src/batch/input/prompts.ts";
import { scratchFolder } from "../media/scratch.ts";

const read = (text: string) =>
  async function* () {
    yield Buffer.from(text);
  };
const line = (id: string, content: string) =>
  JSON.stringify({
    ...{ custom_id: id, method: "POST", url: "/v1/chat/completions" },
    body: { model: "m", messages: [{ role: "user", content }] },
  });
const ofJson = (text: string): Source => jsonLines("in.jsonl", read(text));
const prompts = (path: string, text: string) =>
  ({ path, read: read(text), endpoint: "chat", defaults: { model: "m" } }) as const;
const ofText = (text: string): Source => textPrompts(prompts("in.txt", text));
const ofCsv = (text: string): Source => csvPrompts(prompts("in.csv", text));

/** Checks one input and sends another. Returns why the run stopped, and the number of lines that it sent. */
async function run(checked: Source, sent: Source, journal = "") {
  const out = join(await scratchFolder(), "out.jsonl");
  if (journal !== "") await writeFile(`${out}.journal`, journal);
  let requests = 0;
  const options = {
    ...{ source: checked, inputName: "in", out, files: diskFiles, concurrency: 8, patience: 60_000 },
    ...{ shard: undefined, service: undefined, prompts: undefined, maxCost: undefined, needsPrices: false },
    check: () => [],
    assertSameShards: async () => {},
    pricing: { ceiling: () => undefined, cost: () => undefined, isExact: () => false },
    now: () => 0,
    sleep: async () => {},
    stopped: new AbortController().signal,
    send: async () => {
      requests += 1;
      const response = { status: 200, requestId: null, body: "{}" };
      return { outcome: "done", value: {}, answer: { response } } as const;
    },
  };
  const plan = await planBatch(options);
  const stop = await withBatch({ ...options, source: sent }, plan, (batch) => batch.run());
  return { stop, requests };
}

const [one, two, three] = [line("1", "one"), line("2", "two"), line("3", "three")];
const changes: readonly (readonly [string, Source, Source])[] = [
  ["the body of a line", ofJson(`${one}\n${two}`), ofJson(`${one}\n${line("2", "other")}`)],
  ["the ID of a line", ofJson(`${one}\n${two}`), ofJson(`${one}\n${line("9", "two")}`)],
  ["the order of the lines", ofJson(`${one}\n${two}\n${three}`), ofJson(`${one}\n${three}\n${two}`)],
  ["the blank lines", ofJson(`${one}\n${two}`), ofJson(`${one}\n\n${two}`)],
  ["a line that is no longer a request", ofJson(`${one}\n${two}`), ofJson(`${one}\n{}`)],
  ["a prompt", ofText("one\ntwo"), ofText("one\nother")],
  ["a cell", ofCsv("id,prompt\n1,one\n2,two"), ofCsv("id,prompt\n1,one\n2,other")],
  ["where a cell ends", ofCsv('prompt,system\na,"b,c"'), ofCsv('prompt,system\n"a,b",c')],
  ["the header", ofCsv("id,prompt,system\n1,one,two"), ofCsv("id,system,prompt\n1,one,two")],
];

test.each(changes)("an edit during the run stops it: %s", async (_what, checked, sent) => {
  const { stop } = await run(checked, sent);
  expect(stop).toEqual({ kind: "fatal", error: expect.objectContaining({ name: "InputChanged" }) });
});

test.each([
  ["a JSON Lines file", ofJson(`\ufeff${one}\n\n${two}\n${three}`)],
  ["a text file", ofText("one\none\ntwo")],
  ["a CSV file", ofCsv("prompt,system\none,\none,\ntwo,Be brief")],
])("every line of %s is sent if no one edits the file", async (_what, source) => {
  expect(await run(source, source)).toEqual({ stop: undefined, requests: 3 });
});

test("lines that have another order in the journal do not count as changed, and are sent", async () => {
  const { journalLine } = await import("../../src/batch/journal.ts");
  const records = ["3", "1"].flatMap((id) => [
    journalLine({ event: "send", id, request: "0000000000000000", cost: undefined }),
    journalLine({ event: "undo", id }),
  ]);
  const journal = journalLine({ event: "header", shard: null }) + records.join("");
  const source = ofJson(`${one}\n${two}\n${three}`);
  expect(await run(source, source, journal)).toEqual({ stop: undefined, requests: 3 });
});
