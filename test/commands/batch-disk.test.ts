import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exit } from "../../src/core/exit-codes.ts";
import { type Cli, createCli } from "../support/cli.ts";
import { denyOpening, fillDiskAfter } from "../support/full-disk.ts";
import { overNetwork } from "../support/service.ts";

const run = "batch run in.jsonl --out out.jsonl";

/** A CLI whose folder has an input of two lines. */
async function cliWithInput(status = 200): Promise<Cli> {
  const cli = await createCli({
    respond: () =>
      status === 200
        ? Response.json({ choices: [{ message: { role: "assistant", content: "Hi" } }] })
        : Response.json({ message: "no such model" }, { status }),
  });
  const lines = ["a", "b"].map((id) => {
    const body = { model: "m", messages: [{ role: "user", content: id }] };
    return `${JSON.stringify({ custom_id: id, method: "POST", url: "/v1/chat/completions", body })}\n`;
  });
  await writeFile(join(cli.folder, "in.jsonl"), lines.join(""));
  return cli;
}

test.each([
  ["INPUT in.jsonl: permission denied", "in.jsonl", "reading", run],
  ["--prompts in.jsonl: permission denied", "in.jsonl", "reading", `${run} --endpoint chat`],
  ["cannot read {out}.journal: permission denied", "out.jsonl.journal", "reading", run],
  ["cannot open {out}.journal: permission denied", "out.jsonl.journal", "writing", run],
  ["cannot open {out}: permission denied", "out.jsonl", "writing", run],
  ["cannot read {out}: permission denied", "out.jsonl", "reading", "batch merge out.jsonl --out all.jsonl"],
  ["cannot read {out}.journal: permission denied", "l.journal", "reading", "batch merge out.jsonl --out b"],
  ["cannot read {out}.journal: permission denied", "out.jsonl.journal", "reading", "batch status ."],
  ["cannot read {out}.journal: permission denied", "l.journal", "reading", "batch retry out.jsonl --failed"],
  ["cannot open {out}.journal: permission denied", "l.journal", "writing", "batch retry out.jsonl --failed"],
  ["cannot open {out}: permission denied", "out.jsonl", "writing", "batch retry out.jsonl --failed"],
] as const)("a batch command fails with the error %s and sends nothing", async (message, end, use, line) => {
  const cli = await cliWithInput(400);
  expect((await cli.run(run, overNetwork())).code).toBe(exit.someFailed);
  const given = line.endsWith("chat") ? line.replace("run in.jsonl", "run --prompts in.jsonl") : line;
  denyOpening(end, use);
  const { code, err, requests } = await cli.run(given, overNetwork());
  expect({ code, requests }, err).toEqual({ code: exit.usage, requests: [] });
  const text = message.replace("{out}", join(cli.folder, "out.jsonl"));
  expect(err.replace("0 of 2 lines to send\n", "")).toBe(`Error: ${text}\nNothing was sent.\n`);
});

test("batch merge opens the file of --requests before it writes the results", async () => {
  const cli = await cliWithInput();
  await cli.run(run, overNetwork());
  denyOpening("in.jsonl", "reading");
  const { code, err } = await cli.run("batch merge out.jsonl --requests in.jsonl --out all.jsonl");
  expect({ code, err }).toEqual({ code: exit.usage, err: "Error: --requests in.jsonl: permission denied\n" });
  expect(await readdir(cli.folder)).not.toContain("all.jsonl");
});

test.each([
  ["the header", 0],
  ["the record of the input", 1],
  ["the record of the first request", 2],
])(
  "the error says that the disk is full when %s cannot be written to the journal, and a new run continues",
  async (_, count) => {
    const cli = await cliWithInput();
    const free = fillDiskAfter(count, "out.jsonl.journal");
    const { code, err, requests } = await cli.run(`${run} --concurrency 1`, overNetwork());
    expect({ code, requests }, err).toEqual({ code: exit.fault, requests: [] });
    const journal = join(cli.folder, "out.jsonl.journal");
    expect(err).toContain(
      `Error: cannot write ${journal}: no space left on the disk\nRun the same command line again.\n`,
    );
    free();
    const again = await cli.run(run, overNetwork());
    expect(again.code, again.err).toBe(exit.done);
    expect(again.requests).toHaveLength(2);
  },
);
