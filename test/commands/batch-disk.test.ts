import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { exit } from "../../src/core/exit-codes.ts";
import { scratchFolder } from "../media/scratch.ts";
import { type Cli, createCli, type Responder, temporaryFolder } from "../support/cli.ts";
import { denyOpening, fillDiskAfter } from "../support/full-disk.ts";
import { base64, tinyPng } from "../support/pictures.ts";
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

describe("if a picture or a response cannot be saved in the folder for files, batch run", () => {
  const picture = () => Response.json({ images: [{ image: base64(tinyPng()) }] });
  const again = "Make room or restore the folder. Then run the same command line again.";

  /** A CLI and a batch of three pictures whose folder for files is in the current folder. `respond` gets the CLI. */
  async function pictures(respond: (cli: Cli) => ReturnType<Responder>) {
    const cli: Cli = await createCli({ respond: () => respond(cli) });
    const data = await scratchFolder();
    const lines = ["a", "b", "c"].map((id) => {
      const body = { model_name: "SDXL1.0-base", prompt: id };
      return `${JSON.stringify({ custom_id: id, method: "POST", url: "/v1/image/generation", body })}\n`;
    });
    await writeFile(join(data, "in.jsonl"), lines.join(""));
    const out = join(data, "out.jsonl");
    const line = `batch run ${join(data, "in.jsonl")} --out ${out} --files pictures --concurrency 1`;
    const results = async () =>
      (await readFile(out, "utf8"))
        .trimEnd()
        .split("\n")
        .map((result) => JSON.parse(result));
    return { cli, line, results, folder: join(cli.folder, "pictures") };
  }

  const replaceWithFile = async (folder: string) => {
    await rm(folder, { recursive: true, force: true });
    await writeFile(folder, "");
  };

  test("records where the picture is, sends nothing more, and exits with 1", async () => {
    let isBroken = true;
    const { cli, line, results, folder } = await pictures(async (cli) => {
      if (isBroken) await replaceWithFile(join(cli.folder, "pictures"));
      return picture();
    });
    const { code, err, requests } = await cli.run(line, overNetwork());
    expect({ code, sent: requests.length }, err).toEqual({ code: exit.fault, sent: 1 });
    const [result] = await results();
    const [{ path }] = result.response.body.images;
    expect(dirname(path)).toBe(cli.folder);
    expect((await readFile(path)).subarray(1, 4).toString()).toBe("PNG");
    expect(err).toContain(`Error: the run stopped because files could not be saved in ${folder}: could not`);
    expect(err).toContain(`Saved to ${path} instead, because you were charged for it.\n${again}\n`);

    isBroken = false;
    await rm(folder);
    const rest = await cli.run(line, overNetwork());
    expect({ code: rest.code, sent: rest.requests.length }, rest.err).toEqual({ code: exit.done, sent: 2 });
    expect(await readdir(folder)).toHaveLength(2);
  });

  test("exits with 1 even if it was interrupted before the picture arrived", async () => {
    const controller = new AbortController();
    const { cli, line } = await pictures(async (cli) => {
      controller.abort();
      await replaceWithFile(join(cli.folder, "pictures"));
      return picture();
    });
    const { code, err } = await cli.run(line, { ...overNetwork(), answerSignal: () => controller.signal });
    expect(code, err).toBe(exit.fault);
  });

  test("records an unknown outcome if the picture cannot be saved anywhere else, sends nothing more, and exits with 1", async () => {
    const { cli, line, results } = await pictures(async ({ folder }) => {
      for (const path of [folder, temporaryFolder(folder)]) await replaceWithFile(path);
      return picture();
    });
    const { code, err, requests } = await cli.run(`${line} -o json`, overNetwork());
    expect({ code, sent: requests.length }, err).toEqual({ code: exit.fault, sent: 1 });
    expect(await results()).toMatchObject([{ custom_id: "a", error: { code: "UNUSABLE_RESPONSE" } }]);
    expect(JSON.parse(err).error).toMatchObject({
      code: "RESULT_LOST",
      hint: `You were charged for the result, and it could not be saved anywhere. ${again}`,
    });
  });

  test("also stops after a response that is not JSON, and says where the response was saved", async () => {
    const { cli, line, results } = await pictures(async (cli) => {
      await replaceWithFile(join(cli.folder, "pictures"));
      return new Response(Buffer.from([0xff, 0xfe, 0xfd]));
    });
    const { code, err, requests } = await cli.run(line, overNetwork());
    expect({ code, sent: requests.length }, err).toEqual({ code: exit.fault, sent: 1 });
    const [{ error }] = await results();
    expect(dirname(error.path)).toBe(cli.folder);
    expect(err).toContain(`the response was saved to ${error.path}`);
  });
});
