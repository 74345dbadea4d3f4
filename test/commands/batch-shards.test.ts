import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Job } from "kubernetes-types/batch/v1";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { exit } from "../../src/core/exit-codes.ts";
import { once } from "../../src/core/tasks/once.ts";
import { type Cli, createCli } from "../support/cli.ts";
import { overNetwork } from "../support/service.ts";
import { wav } from "../support/sound.ts";
import { words } from "../support/words.ts";

const ids = Array.from({ length: 12 }, (_, index) => `request-${50 + index}`);

/** The lines of an input file. The sandbox refuses the lines whose IDs are in `failing`. */
const input = (failing: readonly string[] = []): string =>
  ids
    .map((id) => {
      const model = failing.includes(id) ? "no-such-model" : "sandbox-echo";
      const body = { model, messages: [{ role: "user", content: `Hello ${id}` }] };
      return `${JSON.stringify({ custom_id: id, method: "POST", url: "/v1/chat/completions", body })}\n`;
    })
    .join("");

async function cliWith(text = input(), name = "requests.jsonl"): Promise<Cli> {
  const cli = await createCli();
  await writeFile(join(cli.folder, name), text);
  return cli;
}

const env = { GPUCTL_SANDBOX: "1" };
const shardLine = "batch run requests.jsonl --out answers.jsonl --shard";

const runShards = async ({ run }: Cli, ...shards: readonly number[]) => {
  for (const index of shards) await run(`${shardLine} ${index}/3`, { env });
};

/** The files of a batch of three shards. The batch is run only once for all tests. */
const complete = once(async () => {
  const cli = await cliWith();
  await runShards(cli, 0, 1, 2);
  const names = (await readdir(cli.folder)).filter((name) =>
    /^(answers\.\d-of-3|requests)\.jsonl/.test(name),
  );
  return Promise.all(names.map(async (name) => ({ name, bytes: await readFile(join(cli.folder, name)) })));
});

/** A CLI whose folder has a completed batch of three shards. */
async function completeBatch(): Promise<Cli> {
  const cli = await createCli();
  for (const { name, bytes } of await complete()) await writeFile(join(cli.folder, name), bytes);
  return cli;
}

const merge = async ({ run }: Cli, rest = "answers.jsonl") => {
  const { code, out, err } = await run(`batch merge ${rest} -o json`, { env });
  return {
    code,
    data: out === "" ? undefined : JSON.parse(out),
    error: err === "" ? undefined : JSON.parse(err).error,
  };
};

const idsIn = async ({ folder }: Cli, name = "answers.jsonl") =>
  (await readFile(join(folder, name), "utf8"))
    .trimEnd()
    .split("\n")
    .map((line): string => JSON.parse(line).custom_id);

const change = async ({ folder }: Cli, name: string, edit: (text: string) => string) => {
  const path = join(folder, name);
  await writeFile(path, edit(await readFile(path, "utf8")));
};

describe("the shards of a batch", () => {
  test("send each line once, and together have a result for each line", async () => {
    const cli = await cliWith();
    const sent: string[] = [];
    for (const index of [0, 1, 2]) {
      const { code, requests } = await cli.run(
        `batch run requests.jsonl --out answers.jsonl --shard ${index}/3`,
        { env },
      );
      expect(code).toBe(exit.done);
      sent.push(
        ...requests
          .filter(({ path }) => path.endsWith("/completions"))
          .map(({ body }) => JSON.stringify(body)),
      );
    }
    expect(new Set(sent).size).toBe(ids.length);
    expect(sent).toHaveLength(ids.length);
    const { code, data } = await merge(cli, "answers.jsonl --requests requests.jsonl");
    expect(code).toBe(exit.done);
    expect(data).toMatchObject({
      succeeded: ids.length,
      failed: 0,
      unknown: 0,
      missing: 0,
      missingShards: [],
    });
    expect((await idsIn(cli)).sort()).toEqual([...ids].sort());
  });

  test("have a journal that a run with another number of shards refuses, even if the journal was renamed for that run", async () => {
    const cli = await cliWith();
    await runShards(cli, 0);
    const journal = (count: number) => join(cli.folder, `answers.0-of-${count}.jsonl.journal`);
    await rename(journal(3), journal(4));
    const { code, err, requests } = await cli.run(
      "batch run requests.jsonl --out answers.jsonl --shard 0/4",
      { env },
    );
    expect({ code, requests }).toEqual({ code: exit.usage, requests: [] });
    expect(err).toContain("shard 0 of 3");
  });

  test.each([
    ["--shard 0/3", "--shard 1/2", "this run has 2 shards, but the batch has 3 shards", "with --shard I/3."],
    ["--shard 0/3", "--shard 0/1", "this run has 1 shard, but the batch has 3 shards", "with --shard I/3."],
    ["--shard 0/3", "", "this run has no shards, but the batch has 3 shards", "with --shard I/3."],
    ["", "--shard 0/2", "this run has 2 shards, but the batch has no shards", "with no --shard."],
  ])(
    "after a run with %j, a run with %j is refused and sends nothing",
    async (first, second, problem, hint) => {
      const cli = await createCli();
      // Used as a pattern, this name would match neither itself nor the names of its shards.
      const out = "an[s]wers (1+).jsonl";
      await writeFile(join(cli.folder, "requests.jsonl"), input());
      const line = ["batch", "run", "requests.jsonl", "--out", out];
      expect(await cli.run([...line, ...words(first)], { env })).toMatchObject({ code: exit.done });
      const before = await readdir(cli.folder);
      for (const dryRun of [[], ["--dry-run"]]) {
        const refused = await cli.run([...line, ...words(second), ...dryRun], { env });
        expect({ code: refused.code, requests: refused.requests }).toEqual({
          code: exit.usage,
          requests: [],
        });
        expect(refused.err).toContain(problem);
        expect(refused.err).toContain(hint);
      }
      expect(await readdir(cli.folder)).toEqual(before);
      expect(await cli.run([...line, ...words(first)], { env })).toMatchObject({ code: exit.done });
    },
  );

  test("are not confused with batches of similar names, or with a journal that is still empty", async () => {
    const cli = await cliWith();
    const others = ["answers-2.0-of-2.jsonl", "answers.v2.jsonl", "xanswers.jsonl", "answersX0-of-2.jsonl"];
    for (const other of others) {
      const line = `batch run requests.jsonl --out ${other}`;
      expect(await cli.run(line, { env })).toMatchObject({ code: exit.done });
    }
    await writeFile(join(cli.folder, "answers.1-of-2.jsonl.journal"), "");
    await writeFile(join(cli.folder, "answers.jsonl"), "merged\n");
    await runShards(cli, 0, 1);
    expect(await cli.run(`${shardLine} 2/3`, { env })).toMatchObject({ code: exit.done });
  });

  test("are not run if --out names the output of a shard", async () => {
    const cli = await cliWith();
    await runShards(cli, 0);
    for (const shard of ["0/3", "1/3", "0/2"]) {
      const line = `batch run requests.jsonl --out answers.0-of-3.jsonl --shard ${shard}`;
      const { code, err, requests } = await cli.run(line, { env });
      expect({ code, requests }, err).toEqual({ code: exit.usage, requests: [] });
      expect(err).toContain(
        "--out answers.0-of-3.jsonl is the output of shard 0 of 3, not of the whole batch",
      );
      expect(err).toContain(`To continue the batch, pass --out ${join(cli.folder, "answers.jsonl")}.`);
    }
  });

  test.each(["batch run requests.jsonl --shard 0/3 --out -", "batch merge answers.jsonl --out -"])(
    "have results that cannot be written to stdout: %s",
    async (line) => {
      const cli = await cliWith();
      const { code, err, requests } = await cli.run(line, { env });
      expect({ code, requests }).toEqual({ code: exit.usage, requests: [] });
      expect(err).toBe("Error: --out must be a file, not stdout\n");
    },
  );

  test("must all use the same number of shards: of two runs with different numbers that start at the same time, at least one is refused", async () => {
    const cli = await cliWith();
    const runs = await Promise.all(["0/3", "1/2"].map((shard) => cli.run(`${shardLine} ${shard}`, { env })));
    const refused = runs.filter(({ code }) => code === exit.usage);
    expect(refused.length).toBeGreaterThan(0);
    for (const { requests } of refused) expect(requests).toEqual([]);
    // A refused run leaves no files, so the batch can be run to its end.
    const isLeft = (shard: string) => (name: string) => name.startsWith(`answers.${shard}.jsonl`);
    const names = await readdir(cli.folder);
    const left = ["0-of-3", "1-of-2"].filter((shard) => names.some(isLeft(shard)));
    expect(left).toHaveLength(runs.length - refused.length);
    const count = left.includes("1-of-2") ? 2 : 3;
    for (let index = 0; index < count; index += 1) {
      expect(await cli.run(`${shardLine} ${index}/${count}`, { env })).toMatchObject({ code: exit.done });
    }
    expect(await merge(cli)).toMatchObject({ code: exit.done, data: { succeeded: ids.length } });
  });

  test("get equal parts of --max-cost, and each run names its part", async () => {
    const cli = await createCli();
    await writeFile(join(cli.folder, "prompts.txt"), "A lighthouse\nA fox");
    const line =
      "batch run --prompts prompts.txt --endpoint image --out pictures.jsonl --shard 0/4 --max-cost";
    const { err } = await cli.run(`${line} 10 --param steps=1`, { env });
    expect(err).toContain("$2.50");
    expect(err).toContain("$10.00");
    const refused = await cli.run(`${line.replace("pictures", "others")} 0.01`, { env });
    expect({ code: refused.code, requests: refused.requests }).toEqual({ code: exit.budget, requests: [] });
  });
});

describe("batch run finds its shard", () => {
  test("in each pod of the Kubernetes Indexed Job from `batch manifest`", async () => {
    const cli = await cliWith();
    const { out } = await cli.run("batch manifest k8s requests.jsonl --shards 3 --out answers.jsonl", {
      env,
    });
    const job: Job = parse(out);
    const [container] = job.spec?.template.spec?.containers ?? [];
    const variables = Object.fromEntries(container?.env?.map(({ name, value = "" }) => [name, value]) ?? []);
    for (let index = 0; index < (job.spec?.completions ?? 0); index += 1) {
      const { code, err } = await cli.run(container?.args ?? [], {
        env: { ...variables, JOB_COMPLETION_INDEX: String(index) },
      });
      expect(code, err).toBe(exit.done);
    }
    expect(await merge(cli)).toMatchObject({ code: exit.done, data: { succeeded: ids.length } });
  });

  test("in the parallel jobs on GitLab", async () => {
    const cli = await cliWith();
    const { out } = await cli.run("batch manifest gitlab requests.jsonl --shards 3 --out answers.jsonl", {
      env,
    });
    const { batch } = parse(out);
    const line = /gpuctl (batch run .*)$/m.exec(batch.script[0])?.[1] ?? "";
    for (let node = 1; node <= batch.parallel; node += 1) {
      const { code, err } = await cli.run(words(line), {
        env: {
          ...batch.variables,
          CI: "true",
          CI_NODE_INDEX: String(node),
          CI_NODE_TOTAL: String(batch.parallel),
        },
      });
      expect(code, err).toBe(exit.done);
    }
    expect(await merge(cli)).toMatchObject({ code: exit.done, data: { succeeded: ids.length } });
  });

  test("in the matrix on GitHub", async () => {
    const cli = await cliWith();
    const { out } = await cli.run("batch manifest github requests.jsonl --shards 3 --out answers.jsonl", {
      env,
    });
    const { shard: job } = parse(out).jobs;
    const step = job.steps.find(({ name }: { name?: string }) => name === "Run the shard");
    const line = /gpuctl (batch run .*) &$/m.exec(step.run)?.[1] ?? "";
    for (const index of job.strategy.matrix.shard) {
      const { code, err } = await cli.run(words(line.replace(/\$\{\{ matrix\.shard \}\}/, String(index))), {
        env: { ...step.env, CI: "true" },
      });
      expect(code, err).toBe(exit.done);
    }
    expect(await merge(cli)).toMatchObject({ code: exit.done, data: { succeeded: ids.length } });
  });

  test("in a Slurm array of which one task is rerun", async () => {
    const cli = await cliWith();
    const slurm = (id: number, min: number, count: number) => ({
      ...env,
      SLURM_ARRAY_TASK_ID: String(id),
      SLURM_ARRAY_TASK_MIN: String(min),
      SLURM_ARRAY_TASK_COUNT: String(count),
    });
    const line = "batch run requests.jsonl --out answers.jsonl --shards 3";
    for (const id of [0, 1]) await cli.run(line, { env: slurm(id, 0, 3) });
    const { requests } = await cli.run(line, { env: slurm(2, 2, 1) });
    expect(requests.length).toBeGreaterThan(0);
    expect(await merge(cli)).toMatchObject({ code: exit.done, data: { succeeded: ids.length } });
  });

  test("only if an environment variable has its index; otherwise, the error names the variables", async () => {
    const cli = await cliWith();
    const { code, err } = await cli.run("batch run requests.jsonl --out answers.jsonl --shards 3", { env });
    expect(code).toBe(exit.usage);
    expect(err).toContain("JOB_COMPLETION_INDEX");
  });
});

describe("batch merge", () => {
  test("adds up the cost of the shards", async () => {
    const cli = await createCli();
    await writeFile(join(cli.folder, "prompts.txt"), "A lighthouse\nA fox\nA bird");
    const line = "batch run --prompts prompts.txt --endpoint image --out pictures.jsonl --param steps=1";
    for (const index of [0, 1]) await cli.run(`${line} --shard ${index}/2`, { env });
    const shown = await cli.run("batch merge pictures.jsonl --dry-run", { env });
    expect(shown.out).toContain("$0.0012");
    const { data } = await merge(cli, "pictures.jsonl");
    expect(data).toMatchObject({ succeeded: 3, dollars: 0.0012, uncertainDollars: 0 });
  });

  test("names an output that is missing or changed", async () => {
    const cli = await completeBatch();
    await change(cli, "answers.0-of-3.jsonl", (text) => text.slice(text.indexOf("\n") + 1));
    const changed = await cli.run("batch merge answers.jsonl", { env });
    expect(changed.code).toBe(exit.usage);
    expect(changed.err).toMatch(
      /^Error: \S+answers\.0-of-3\.jsonl has \d+ results, but its journal has \d+ results\nThe output was changed\. Restore it\.\n$/,
    );
    await rm(join(cli.folder, "answers.0-of-3.jsonl"));
    const missing = await cli.run("batch merge answers.jsonl", { env });
    expect(missing.code).toBe(exit.usage);
    expect(missing.err).toMatch(
      /^Error: \S+answers\.0-of-3\.jsonl is missing, but its journal has \d+ results\nRestore that file\.\n$/,
    );
    expect(await readdir(cli.folder)).not.toContain("answers.jsonl");
  });

  test.each([
    ["missing", (path: string) => rm(path)],
    ["empty", (path: string) => writeFile(path, "")],
  ])("asks to restore the journal of a shard with results if the journal is %s", async (_, damage) => {
    const cli = await completeBatch();
    await damage(join(cli.folder, "answers.1-of-3.jsonl.journal"));
    for (const given of ["answers.jsonl", "."]) {
      const { code, err } = await cli.run(`batch merge ${given}`, { env });
      expect(code).toBe(exit.usage);
      expect(err).toMatch(
        /^Error: \S+answers\.1-of-3\.jsonl has lines, but its journal is missing or empty\nRestore \S+answers\.1-of-3\.jsonl\.journal\. Without it, the batch cannot be continued\.\n$/,
      );
      const { out } = await cli.run(`batch status ${given} -o json`, { env });
      const rows = JSON.parse(out);
      expect(rows).toHaveLength(3);
      expect(rows).toMatchObject([
        { state: "complete" },
        { out: "answers.1-of-3.jsonl", shard: 1, shards: 3, state: "no journal", left: null },
        { state: "complete" },
      ]);
    }
    const { code, err, requests } = await cli.run(`${shardLine} 1/3`, { env });
    expect({ code, requests }).toEqual({ code: exit.usage, requests: [] });
    expect(err).toContain("restore its journal");
    expect(await readdir(cli.folder)).not.toContain("answers.jsonl");
    await writeFile(join(cli.folder, "answers.1-of-3.jsonl"), "");
    expect((await merge(cli)).error.message).toContain("shard 1 did not run");
  });

  test("names the shards that did not run, and writes the results of the others", async () => {
    const cli = await cliWith();
    await runShards(cli, 1);
    const { code, data, error } = await merge(cli);
    expect({ code, missingShards: data.missingShards }).toEqual({
      code: exit.network,
      missingShards: [0, 2],
    });
    expect(error.message).toContain("shards 0, 2 did not run");
    expect(await idsIn(cli)).toHaveLength(data.succeeded);
  });

  test("reports lines without a result", async () => {
    const cli = await cliWith();
    await runShards(cli, 0, 2);
    await writeFile(
      join(cli.folder, "requests.jsonl"),
      `${input()}${input().replaceAll("request-", "other-")}`,
    );
    await runShards(cli, 1);
    const { code, error } = await merge(cli, "answers.jsonl --requests requests.jsonl");
    expect(code).toBe(exit.network);
    expect(error.message).toMatch(/\d+ lines have no result: other-\d+/);
  });

  test("reports lines that were changed after they were sent, and results without a line", async () => {
    const cli = await completeBatch();
    await change(cli, "requests.jsonl", (text) =>
      text.replace("Hello request-53", "Hi").replace(/.*request-55".*\n/, ""),
    );
    const { code, error } = await merge(cli, "answers.jsonl --requests requests.jsonl");
    expect(code).toBe(exit.network);
    expect(error.message).toBe("1 line was changed in the input after being sent");
    const { err } = await cli.run("batch merge answers.jsonl --requests requests.jsonl --out b.jsonl", {
      env,
    });
    expect(err).toContain("1 result does not belong to a line of the input");
  });

  test("exits with 12 if lines have failed", async () => {
    const cli = await cliWith(input(["request-54", "request-57"]));
    await runShards(cli, 0, 1, 2);
    const { code, data, error } = await merge(cli);
    expect({ code, failed: data.failed }).toEqual({ code: exit.someFailed, failed: 2 });
    expect(error.message).toContain("2 lines have failed");
    expect(await idsIn(cli)).toHaveLength(ids.length);
  });

  test.skipIf(process.platform === "win32")(
    "reads the requests from a pipe, and refuses a folder",
    async () => {
      const cli = await completeBatch();
      const pipe = join(cli.folder, "pipe");
      execFileSync("mkfifo", [pipe]);
      const writing = writeFile(pipe, await readFile(join(cli.folder, "requests.jsonl")));
      expect(await merge(cli, "answers.jsonl --requests pipe")).toMatchObject({ code: exit.done });
      await writing;
      const folder = await cli.run("batch merge answers.jsonl --requests . --out other.jsonl");
      expect(folder).toMatchObject({
        code: exit.usage,
        err: expect.stringContaining("--requests . is a folder"),
      });
      expect(await readdir(cli.folder)).not.toContain("other.jsonl");
    },
  );

  test("writes nothing if a line of the requests is invalid", async () => {
    const cli = await completeBatch();
    await writeFile(join(cli.folder, "broken.jsonl"), "{}\n");
    const { code, err } = await cli.run(
      "batch merge answers.jsonl --requests broken.jsonl --out other.jsonl",
    );
    expect(code).toBe(exit.usage);
    expect(err).toContain("--requests: line 1: ");
    expect(await readdir(cli.folder)).not.toContain("other.jsonl");
  });

  test.each(["", " --requests requests.jsonl"])(
    "exits with 12 if requests were in flight when a run was killed, and a new run does not send them:%s",
    async (rest) => {
      const cli = await completeBatch();
      const names = ["answers.1-of-3.jsonl.journal", "answers.1-of-3.jsonl"] as const;
      const [journal = "", output = ""] = await Promise.all(
        names.map((name) => readFile(join(cli.folder, name), "utf8")),
      );
      const inFlight = output.trimEnd().split("\n").length;
      // The files are as if the run had been killed before the first result.
      await change(cli, names[0], (text) => text.replace(/.*"event":"(done|failed|unknown)".*\n/g, ""));
      await writeFile(join(cli.folder, names[1]), "");
      expect(await readFile(join(cli.folder, names[0]), "utf8")).not.toBe(journal);
      const { code, data, error } = await merge(cli, `answers.jsonl${rest}`);
      expect({ code, data }).toMatchObject({
        code: exit.someFailed,
        data: { succeeded: ids.length - inFlight, unknown: inFlight, missing: 0 },
      });
      expect(error.message).toBe(`the outcome of ${inFlight} lines is unknown`);
      const [status] = JSON.parse((await cli.run("batch status answers.1-of-3.jsonl -o json")).out);
      expect(status).toMatchObject({ unknown: inFlight, left: 0 });
      expect((await cli.run(`${shardLine} 1/3`, { env })).code).toBe(exit.someFailed);
    },
  );

  test.each([
    [
      "a line of another batch",
      (text: string) => text.replace(/"custom_id":"[^"]*"/, '"custom_id":"request-99"'),
      /:1 has no entry in the journal of /,
    ],
    [
      "one line too few",
      (text: string) => text.slice(text.indexOf("\n") + 1),
      /has \d results, but its journal has \d/,
    ],
    [
      "the first line instead of the last",
      (text: string) => {
        const [first = "", ...rest] = text.trimEnd().split("\n");
        return [first, ...rest.slice(0, -1), first, ""].join("\n");
      },
      /"request-\d+" is also in line 1$/,
    ],
  ])("rejects an output with %s", async (_name, edit, message) => {
    const cli = await completeBatch();
    await change(cli, "answers.1-of-3.jsonl", edit);
    const { code, error } = await merge(cli);
    expect(code).toBe(exit.usage);
    expect(error.message).toMatch(message);
    await expect(readFile(join(cli.folder, "answers.jsonl"))).rejects.toThrow(/ENOENT/);
  });

  test("leaves out an incomplete result that a crash left in the output", async () => {
    const cli = await completeBatch();
    await change(cli, "answers.1-of-3.jsonl", (text) => `${text}{"id":"batch_req_1","custom_id":"requ`);
    expect(await merge(cli)).toMatchObject({ code: exit.done, data: { succeeded: ids.length } });
    expect(await idsIn(cli)).toHaveLength(ids.length);
  });

  test.each([
    ["nothing.jsonl", /there is no journal/],
    ["answers.0-of-3.jsonl others.jsonl", /is one of 3 shards, but .* is not a shard/],
    ["others.jsonl", /--out is required/],
    ["answers.jsonl --out answers.1-of-3.jsonl", /is one of the outputs to merge/],
    ["answers.jsonl --requests nothing.jsonl", /--requests nothing.jsonl: no such file/],
  ])("rejects %s", async (rest, message) => {
    const cli = await completeBatch();
    await cli.run("batch run requests.jsonl --out others.jsonl", { env });
    const { code, error } = await merge(cli, rest);
    expect(code).toBe(exit.usage);
    expect(error.message).toMatch(message);
  });

  test("replaces an existing file only with --force", async () => {
    const cli = await completeBatch();
    expect((await merge(cli)).code).toBe(exit.done);
    expect(await merge(cli)).toMatchObject({
      code: exit.usage,
      error: { message: expect.stringContaining("--force") },
    });
    expect((await merge(cli, "answers.jsonl --force")).code).toBe(exit.done);
  });

  test("merges batches that are not shards", async () => {
    const cli = await cliWith();
    await writeFile(join(cli.folder, "more.jsonl"), input().replaceAll("request-", "other-"));
    await cli.run("batch run requests.jsonl --out a.jsonl", { env });
    await cli.run("batch run more.jsonl --out b.jsonl", { env });
    await cli.run("batch run requests.jsonl --out c.jsonl", { env });
    expect(await merge(cli, "a.jsonl b.jsonl --out all.jsonl")).toMatchObject({
      code: exit.done,
      data: { succeeded: 24 },
    });
    const { code, error } = await merge(cli, "a.jsonl c.jsonl --out twice.jsonl");
    expect(code).toBe(exit.usage);
    expect(error.message).toMatch(/"request-\d+" is also in .*a\.jsonl/);
  });

  test.each(["a.jsonl b.jsonl", "b.jsonl a.jsonl"])(
    "takes the result of a line from one batch if the line is left to send in the other: %s",
    async (outputs) => {
      const cli = await cliWith(input(["request-54"]));
      await cli.run("batch run requests.jsonl --out a.jsonl", { env });
      await cli.run("batch retry a.jsonl --failed", { env });
      const lines = input().split("\n");
      await writeFile(join(cli.folder, "rest.jsonl"), `${lines[4]}\n`);
      await writeFile(join(cli.folder, "requests.jsonl"), input());
      await cli.run("batch run rest.jsonl --out b.jsonl", { env });
      expect(await merge(cli, `${outputs} --requests requests.jsonl --out all.jsonl`)).toMatchObject({
        code: exit.done,
        data: { succeeded: 12, missing: 0 },
      });
    },
  );

  test("writes paths of pictures that are valid even if the folder of the output is a symbolic link", async () => {
    const cli = await createCli();
    await writeFile(join(cli.folder, "prompts.txt"), "A cat");
    await cli.run("batch run --prompts prompts.txt --endpoint image --out a.jsonl", { env });
    await mkdir(join(cli.folder, "disk/deep"), { recursive: true });
    await symlink(join(cli.folder, "disk/deep"), join(cli.folder, "results"));
    expect(await merge(cli, "a.jsonl --out results/all.jsonl")).toMatchObject({ code: exit.done });
    const { response } = JSON.parse(await readFile(join(cli.folder, "results/all.jsonl"), "utf8"));
    const [{ path }] = response.body.images;
    // Not `join`, which removes `..` without looking at links.
    expect((await readFile(`${cli.folder}/results/${path}`)).length).toBeGreaterThan(100);
  });

  test("finds every picture if the files of shards on several machines were copied into one folder", async () => {
    const prompts = "A cat\nA cat\n";
    const [first, second, all] = [await createCli(), await createCli(), await createCli()];
    for (const [index, cli] of [first, second].entries()) {
      await writeFile(join(cli.folder, "prompts.txt"), prompts);
      // The second run draws the pictures again, with other settings, so that their names get a number.
      for (const steps of [20, 30]) {
        const line = `batch run --prompts prompts.txt --endpoint image --out a.jsonl --shard ${index}/2`;
        await cli.run(`${line} --param steps=${steps}`, { env });
      }
      const names = (await readdir(cli.folder)).filter((name) => name.startsWith("a."));
      for (const name of names) await cp(join(cli.folder, name), join(all.folder, name), { recursive: true });
    }
    const { code, data } = await merge(all, "a.jsonl --out all.jsonl");
    expect({ code, data }).toMatchObject({ code: exit.done, data: { succeeded: 2, missing: 0 } });
    for (const line of (await readFile(join(all.folder, "all.jsonl"), "utf8")).trimEnd().split("\n")) {
      const [{ path, sha256 }] = JSON.parse(line).response.body.images;
      const bytes = await readFile(join(all.folder, path));
      expect(createHash("sha256").update(bytes).digest("hex")).toBe(sha256);
    }
    const { out } = await all.run("image gallery a.files -o json");
    expect(JSON.parse(out)).toMatchObject({ pictures: 4 });
  });

  test("keeps the paths of all recordings of a response valid in another folder", async () => {
    const sound = (name: string) => wav(Buffer.from(name)).toString("base64");
    const cli = await createCli({
      respond: ({ path }) =>
        path.endsWith("/audio/generation")
          ? new Response(`{"audio":"${sound("one ")}","audio":"${sound("two ")}"}`)
          : undefined,
    });
    await writeFile(join(cli.folder, "prompts.txt"), "Hello");
    const run = "batch run --prompts prompts.txt --endpoint tts --out spoken/a.jsonl";
    await mkdir(join(cli.folder, "spoken"));
    const { err } = await cli.run(run, overNetwork());
    const merged = await merge(cli, "spoken/a.jsonl --out all.jsonl");
    expect({ err, code: merged.code }).toMatchObject({ code: exit.done });
    const { response } = JSON.parse(await readFile(join(cli.folder, "all.jsonl"), "utf8"));
    const paths = [response.body.path, response.body.others[0].path];
    for (const path of paths) expect((await readFile(join(cli.folder, path))).length).toBeGreaterThan(44);
  });

  test.each(["a.jsonl b.jsonl", "b.jsonl a.jsonl"])(
    "takes the result of a line from one batch if the line was in flight in the other, and reports this unknown outcome: %s",
    async (outputs) => {
      const cli = await cliWith();
      await cli.run("batch run requests.jsonl --out a.jsonl", { env });
      await writeFile(join(cli.folder, "one.jsonl"), `${input().split("\n")[11]}\n`);
      await cli.run("batch run one.jsonl --out b.jsonl", { env });
      // The files are as if the run had been killed before its last result.
      await change(cli, "a.jsonl.journal", (text) =>
        text.replace(/.*"event":"done".*\n(?![\s\S]*"event":"done")/, ""),
      );
      await change(cli, "a.jsonl", (text) => text.replace(/.*\n$/, ""));
      const { code, data } = await merge(cli, `${outputs} --requests requests.jsonl --out all.jsonl`);
      expect({ code, data }).toMatchObject({ code: exit.someFailed, data: { succeeded: 12, unknown: 1 } });
    },
  );

  test("of shards ignores an empty journal of the merged output", async () => {
    const cli = await completeBatch();
    await writeFile(join(cli.folder, "answers.jsonl.journal"), "");
    for (const force of ["", " --force"]) {
      expect(await merge(cli, `answers.jsonl${force}`)).toMatchObject({
        code: exit.done,
        data: { succeeded: ids.length },
      });
    }
  });

  test("does not leave out a batch whose journal is empty", async () => {
    const cli = await cliWith();
    await cli.run("batch run requests.jsonl --out a.jsonl", { env });
    await cli.run("batch run requests.jsonl --out b.jsonl", { env });
    await writeFile(join(cli.folder, "b.jsonl.journal"), "");
    const withLines = await merge(cli, "a.jsonl b.jsonl --out all.jsonl");
    expect(withLines.code).toBe(exit.usage);
    expect(withLines.error.message).toMatch(/b\.jsonl has lines, but its journal is missing or empty/);
    expect(await readdir(cli.folder)).not.toContain("all.jsonl");
    await rm(join(cli.folder, "b.jsonl"));
    for (const outputs of ["a.jsonl b.jsonl", "b.jsonl"]) {
      const { code, data, error } = await merge(cli, `${outputs} --out all.jsonl --force`);
      expect({ code, missing: data.missing }).toEqual({ code: exit.network, missing: null });
      expect(error.message).toMatch(/^\S+b\.jsonl did not run$/);
    }
  });
});

describe("batch status", () => {
  const status = async ({ run }: Cli, rest: string) =>
    JSON.parse((await run(`batch status ${rest} -o json`)).out);

  test("shows all shards in a folder, including shards that were not started", async () => {
    const cli = await cliWith(input(["request-54"]));
    await runShards(cli, 0, 2);
    const rows = await status(cli, ".");
    expect(rows).toMatchObject([
      { out: "answers.0-of-3.jsonl", shard: 0, shards: 3, state: "complete", left: 0, process: null },
      { out: "answers.1-of-3.jsonl", shard: 1, shards: 3, state: "not started", left: null },
      { out: "answers.2-of-3.jsonl", shard: 2, shards: 3, state: "complete", left: 0 },
    ]);
    expect(await status(cli, "answers.jsonl")).toEqual(rows);
    const { out, err } = await cli.run("batch status answers.jsonl");
    expect(out).toMatch(/^OUTPUT +STATE +SUCCEEDED/);
    expect(err).toMatch(/Total: \d+ succeeded, [01] failed, 0 unknown, an unknown number left/);
  });

  test("shows unknown outcomes, and how many lines of a stopped shard are left", async () => {
    const cli = await completeBatch();
    // As if the run had crashed just before it recorded the last result: the journal has only the request.
    await change(cli, "answers.1-of-3.jsonl.journal", (text) => text.replace(/[^\n]*\n$/, ""));
    const row = (await status(cli, "answers.1-of-3.jsonl"))[0];
    expect(row).toMatchObject({ state: "complete", unknown: 1 });
    await change(cli, "answers.1-of-3.jsonl.journal", (text) =>
      text.split("\n").slice(0, 2).join("\n").concat("\n"),
    );
    const [before] = await status(cli, "answers.1-of-3.jsonl");
    expect(before).toMatchObject({ state: "stopped", succeeded: 0, left: row.succeeded + 1 });
  });

  test('shows the state "no journal" if the journal of a batch without shards is empty', async () => {
    const cli = await cliWith();
    await cli.run("batch run requests.jsonl --out answers.jsonl", { env });
    await writeFile(join(cli.folder, "answers.jsonl.journal"), "");
    const { out } = await cli.run("batch status answers.jsonl -o json", { env });
    expect(JSON.parse(out)).toMatchObject([{ out: "answers.jsonl", shard: null, state: "no journal" }]);
  });

  test("says that there is no batch if it finds no journal", async () => {
    const cli = await createCli();
    expect(await cli.run("batch status .")).toMatchObject({
      code: exit.usage,
      err: expect.stringContaining("no journal"),
    });
  });
});
