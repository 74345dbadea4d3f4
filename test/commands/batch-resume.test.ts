import { chmod, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { diskFiles } from "../../src/batch/files.ts";
import { type JournalRecord, journalLine, readJournal } from "../../src/batch/journal.ts";
import { type Cli, createCli } from "../support/cli.ts";
import { overNetwork } from "../support/service.ts";

const answer = () => Response.json({ choices: [{ message: { role: "assistant", content: "Hi" } }] });
const write = (cli: Cli, name: string, text: string) => writeFile(join(cli.folder, name), text);
const read = (cli: Cli, name: string) => readFile(join(cli.folder, name), "utf8");

const lineOf = (id: string, content = id) =>
  `${JSON.stringify({
    custom_id: id,
    method: "POST",
    url: "/v1/chat/completions",
    body: { model: "sandbox-echo", messages: [{ role: "user", content }] },
  })}\n`;

const recordsOf = async (cli: Cli): Promise<readonly JournalRecord[]> => {
  const path = join(cli.folder, "out.jsonl.journal");
  const records: JournalRecord[] = [];
  for await (const { record } of readJournal(path, diskFiles.read(path))) records.push(record);
  return records;
};

describe("the output that replaces another one", () => {
  const run = "batch run in.jsonl --out out.jsonl";
  const failing = () => new Response("{}", { status: 400 });

  /** A batch of two lines, one of which has failed. */
  const failedBatch = async (prepare: (cli: Cli) => Promise<unknown> = async () => {}) => {
    let isBroken = true;
    const cli = await createCli({
      respond: ({ body }) => (isBroken && JSON.stringify(body).includes('"bad"') ? failing() : answer()),
    });
    await write(cli, "in.jsonl", lineOf("good") + lineOf("bad"));
    await prepare(cli);
    expect((await cli.run(run, overNetwork())).code).toBe(12);
    isBroken = false;
    return cli;
  };
  const idsIn = async (cli: Cli, name: string) =>
    (await read(cli, name))
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line).custom_id)
      .sort();

  test.each([
    ["a run", []],
    ["batch retry", ["batch retry out.jsonl --failed"]],
  ])("is not a file of the user of the same length, after %s", async (_, lines) => {
    const cli = await failedBatch();
    for (const line of lines) await cli.run(line, overNetwork());
    const paid = await read(cli, "out.jsonl");
    const own = paid.replaceAll('"batch_req_', '"my_own_id_');
    await write(cli, "out.jsonl.new", own);
    await write(cli, "in.jsonl", lineOf("good") + lineOf("bad") + lineOf("more"));
    await cli.run(run, overNetwork());
    expect((await read(cli, "out.jsonl")).startsWith(paid)).toBe(true);
    await write(cli, "in.jsonl", lineOf("good", "edited") + lineOf("bad") + lineOf("more"));
    await cli.run(run, overNetwork());
    expect(await idsIn(cli, "out.jsonl")).toEqual(["bad", "good", "more"]);
    expect(await read(cli, "out.jsonl.new")).toBe(own);
  });

  test("replaces it also if the last run ended right before that", async () => {
    const cli = await failedBatch();
    const [path, before] = [join(cli.folder, "out.jsonl"), await read(cli, "out.jsonl")];
    await cli.run("batch retry out.jsonl --failed", overNetwork());
    const copy = (await recordsOf(cli)).flatMap((record) => (record.event === "retry" ? record.copy : []))[0];
    expect(copy).toMatch(/^[\da-f]{16}$/);
    await rename(path, `${path}.new-${copy}`);
    await writeFile(path, before);
    expect((await cli.run(run, overNetwork())).code).toBe(0);
    expect(await idsIn(cli, "out.jsonl")).toEqual(["bad", "good"]);
    expect(await readdir(cli.folder)).not.toContain(`out.jsonl.new-${copy}`);
  });

  test("continues a copy of an earlier version, which was named OUT.new", async () => {
    const cli = await failedBatch();
    const [path, before] = [join(cli.folder, "out.jsonl"), await read(cli, "out.jsonl")];
    await cli.run("batch retry out.jsonl --failed", overNetwork());
    const older = (await recordsOf(cli)).map((record) =>
      record.event === "retry" ? ({ event: "retry", id: record.id } as const) : record,
    );
    await write(cli, "out.jsonl.journal", older.map(journalLine).join(""));
    await rename(path, `${path}.new`);
    await writeFile(path, before);
    expect((await cli.run(run, overNetwork())).code).toBe(0);
    expect(await idsIn(cli, "out.jsonl")).toEqual(["bad", "good"]);
    expect(await readdir(cli.folder)).not.toContain("out.jsonl.new");
  });

  test.skipIf(process.platform === "win32")("is the target of a symbolic link", async () => {
    const elsewhere = (await createCli()).folder;
    const cli = await failedBatch(({ folder }) =>
      symlink(join(elsewhere, "real.jsonl"), join(folder, "out.jsonl")),
    );
    await cli.run("batch retry out.jsonl --failed", overNetwork());
    expect((await cli.run(run, overNetwork())).code).toBe(0);
    const lines = await readFile(join(elsewhere, "real.jsonl"), "utf8");
    expect(lines).toBe(await read(cli, "out.jsonl"));
    expect(await idsIn(cli, "out.jsonl")).toEqual(["bad", "good"]);
    expect(await readdir(elsewhere)).toEqual(["real.jsonl"]);
    // The target is on a file system that is not mounted.
    await rm(join(elsewhere, "real.jsonl"));
    expect(await cli.run(run, overNetwork())).toMatchObject({ code: 2, requests: [] });
  });

  test.skipIf(process.platform === "win32").each([0o600, 0o660])(
    "keeps the permissions %i, as does the file with old results",
    async (mode) => {
      const cli = await failedBatch(async ({ folder }) => {
        await writeFile(join(folder, "out.jsonl"), "");
        await chmod(join(folder, "out.jsonl"), mode);
      });
      await cli.run("batch retry out.jsonl --failed", overNetwork());
      for (const name of ["out.jsonl", "out.jsonl.replaced"]) {
        expect((await stat(join(cli.folder, name))).mode & 0o777).toBe(mode);
      }
    },
  );
});
