import { chmod, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { diskFiles } from "../../src/batch/files.ts";
import { type JournalRecord, journalLine, readJournal } from "../../src/batch/journal.ts";
import { type Cli, createCli } from "../support/cli.ts";
import { base64, tinyPng } from "../support/pictures.ts";
import { overNetwork } from "../support/service.ts";

const answer = () => Response.json({ choices: [{ message: { role: "assistant", content: "Hi" } }] });
const picture = () => Response.json({ images: [{ image: base64(tinyPng()) }] });
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

/** Changes the journal to the format of an earlier version, which did not record the service and the model. */
async function makeOlder(cli: Cli): Promise<void> {
  const older = (await recordsOf(cli)).map((record) =>
    record.event === "input" ? ({ event: "input", lines: record.lines } as const) : record,
  );
  await write(cli, "out.jsonl.journal", older.map(journalLine).join(""));
}

describe.each([
  { endpoint: "chat", key: "chat.model", field: "model", models: ["model-a", "model-b"] },
  { endpoint: "image", key: "image.model", field: "model_name", models: ["SD1.5", "SD2"] },
])(
  "batch run --endpoint $endpoint with prompts, after the model has changed",
  ({ endpoint, key, field, models }) => {
    const [before = "", now = ""] = models;
    const line = `batch run --prompts p.txt --endpoint ${endpoint} --out out.jsonl`;

    /** A completed batch of two prompts. */
    const completeBatch = async (more = "") => {
      const cli = await createCli({ respond: endpoint === "chat" ? answer : picture });
      await write(cli, "p.txt", "One\nTwo\n");
      await cli.run(`config set ${key} ${before}`);
      const { code, requests } = await cli.run(`${line}${more}`, overNetwork());
      expect({ code, requests }).toMatchObject({ code: 0, requests: [{ body: { [field]: before } }, {}] });
      return cli;
    };

    test.each(["", ` --model ${before}`, ` --param '${field}="${before}"'`])(
      "does not pay for the prompts again after a first run with the flags %j",
      async (more) => {
        const cli = await completeBatch(more);
        await cli.run(`config set ${key} ${now}`);
        const paid = await read(cli, "out.jsonl");
        for (const flag of ["", " --dry-run"]) {
          const { code, requests, err } = await cli.run(line + flag, overNetwork());
          expect({ code, requests }).toEqual({ code: 2, requests: [] });
          expect(err).toContain(
            `were sent with the model ${before}, but the default is now the model ${now}`,
          );
          expect(err).toContain(`2 lines would be sent and paid for again`);
          expect(err).toContain(`To continue the batch, add --model ${before}.`);
          expect(err).toContain(`add --model ${now} and pass another --out.`);
        }
        expect(await read(cli, "out.jsonl")).toBe(paid);
        expect(await cli.run(`${line} --model ${before}`, overNetwork())).toMatchObject({
          code: 0,
          requests: [],
        });
      },
    );

    test("does not pay for the prompts again if only --default-model has changed", async () => {
      const cli = await completeBatch();
      const job = `${line} --default-model ${now}`;
      expect(await cli.run(job, overNetwork())).toMatchObject({ code: 2, requests: [] });
      await cli.run(`config set ${key} ${now}`);
      const same = `${line} --default-model ${before}`;
      expect(await cli.run(same, overNetwork())).toMatchObject({ code: 0, requests: [] });
    });

    test("sends the prompts again, but only once, if the command line names the new model", async () => {
      const cli = await completeBatch();
      const { code, requests } = await cli.run(`${line} --model ${now}`, overNetwork());
      expect({ code, requests }).toMatchObject({ code: 0, requests: [{ body: { [field]: now } }, {}] });
      const refused = await cli.run(line, overNetwork());
      expect(refused).toMatchObject({ code: 2, requests: [] });
      expect(refused.err).toContain(`To continue the batch, add --model ${now}.`);
      await cli.run(`config set ${key} ${now}`);
      expect(await cli.run(line, overNetwork())).toMatchObject({ code: 0, requests: [] });
    });

    test("sends the prompts again if the journal does not name the model", async () => {
      const cli = await completeBatch();
      await makeOlder(cli);
      await cli.run(`config set ${key} ${now}`);
      const { code, requests } = await cli.run(line, overNetwork());
      expect({ code, requests }).toMatchObject({ code: 0, requests: [{ body: { [field]: now } }, {}] });
    });
  },
);

describe("after prompts were edited, and the run with the new prompts stopped early", () => {
  const line = "batch run --prompts p.txt --endpoint chat --model m --out out.jsonl --concurrency 1";

  /** A batch of the prompts One and Two, of which Two fails. Then the prompts are One and Three. */
  async function editedBatch({ isCrashed = false } = {}) {
    let isLimited = true;
    const cli = await createCli({
      respond: ({ body }) => {
        const { content } = (body as { messages: { content: string }[] }).messages[0] ?? { content: "" };
        if (content === "Two") return Response.json({ message: "no" }, { status: 400 });
        return content === "Three" && isLimited ? new Response(null, { status: 429 }) : answer();
      },
    });
    await write(cli, "p.txt", "One\nTwo\n");
    expect((await cli.run(line, overNetwork())).code).toBe(12);
    // As if the run had crashed just before it recorded the last result in the journal.
    const journal = await read(cli, "out.jsonl.journal");
    if (isCrashed) await write(cli, "out.jsonl.journal", journal.replace(/[^\n]*\n$/, ""));
    await write(cli, "p.txt", "One\nThree\n");
    await cli.run(`${line} --give-up-after 1s`, overNetwork());
    isLimited = false;
    const status = async () => JSON.parse((await cli.run("batch status out.jsonl -o json")).out)[0];
    return { cli, status };
  }

  test.each([false, true])(
    "batch status and batch merge count the line without a result (first run crashed: %j)",
    async (isCrashed) => {
      const { cli, status } = await editedBatch({ isCrashed });
      expect(await status()).toMatchObject({ state: "stopped", succeeded: 1, failed: 1, left: 1 });
      const merged = await cli.run("batch merge out.jsonl --out all.jsonl");
      expect(merged.err).toContain("1 line has failed; 1 line has no result");
      expect((await cli.run(line, overNetwork())).requests).toHaveLength(1);
      expect(await status()).toMatchObject({ state: "complete", succeeded: 2, failed: 1, left: 0 });
    },
  );

  test("batch retry of the result of a removed prompt never hides the line without a result", async () => {
    const { cli, status } = await editedBatch();
    expect((await cli.run("batch retry out.jsonl --failed")).code).toBe(0);
    expect((await status()).left).toBeGreaterThan(0);
    const { code, requests } = await cli.run(line, overNetwork());
    expect({ code, sent: requests.length }).toEqual({ code: 0, sent: 1 });
    expect(await status()).toMatchObject({ state: "complete", succeeded: 2, failed: 0, left: 0 });
    expect((await cli.run("batch merge out.jsonl --out all.jsonl")).code).toBe(0);
  });
});

describe("continuing a batch on another service", () => {
  const run = "batch run in.jsonl --out out.jsonl";
  const sandbox = { env: { GPUCTL_SANDBOX: "1" } };
  const first = overNetwork({ GPUCTL_BASE_URL: "https://one.example.com/v9/path-token" });
  const second = overNetwork({ GPUCTL_BASE_URL: "https://two.example.com" });
  const firstCompute = overNetwork({
    GPUCTL_BASE_URL: "https://two.example.com",
    GPUCTL_INFERENCE_BASE_URL: "https://one.example.com",
  });

  test.each([
    { from: sandbox, to: first, names: ["the sandbox", "https://one.example.com"] },
    { from: first, to: sandbox, names: ["https://one.example.com", "the sandbox"] },
    { from: first, to: second, names: ["https://one.example.com", "https://two.example.com"] },
    { from: firstCompute, to: second, names: ["https://one.example.com", "https://two.example.com"] },
  ])("is refused: $names", async ({ from, to, names: [before, now] }) => {
    const cli = await createCli({ respond: answer });
    await write(cli, "in.jsonl", lineOf("a") + lineOf("b"));
    const begun = await cli.run(run, from);
    expect(begun.requests).toHaveLength(2);
    await write(cli, "in.jsonl", lineOf("a") + lineOf("b") + lineOf("c"));
    const { code, requests, err } = await cli.run(run, to);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain(`were already sent to ${before}, but this run would send to ${now}`);
    expect((await cli.run(`${run} --dry-run`, to)).code).toBe(2);
    expect((await cli.run(run, from)).requests).toHaveLength(1);
  });

  test("is detected from the journal, which names the service, but neither its path nor the API key", async () => {
    const cli = await createCli({ respond: answer });
    await write(cli, "in.jsonl", lineOf("a"));
    await cli.run(run, first);
    expect(await recordsOf(cli)).toContainEqual({
      event: "input",
      lines: 1,
      extra: 0,
      service: "https://one.example.com",
      prompts: undefined,
    });
    expect(await read(cli, "out.jsonl.journal")).not.toMatch(/token|secret/);
  });

  test("is possible if the journal does not name a service; after that, the journal names the new service", async () => {
    const cli = await createCli({ respond: answer });
    await write(cli, "in.jsonl", lineOf("a"));
    await cli.run(run, first);
    await makeOlder(cli);
    await write(cli, "in.jsonl", lineOf("a") + lineOf("b"));
    const { code, requests } = await cli.run(run, second);
    expect({ code, requests }).toMatchObject({ code: 0, requests: [{}] });
    expect((await cli.run(run, first)).code).toBe(2);
  });

  test("is possible if the first service has processed no line", async () => {
    const cli = await createCli({
      respond: ({ headers }) =>
        headers.authorization?.includes("wrong") ? new Response("{}", { status: 401 }) : answer(),
    });
    await write(cli, "in.jsonl", lineOf("a"));
    const wrong = overNetwork({
      GPUCTL_BASE_URL: "https://wrong.example.com",
      GPUCTL_API_KEY: "wrong-key-1",
    });
    expect((await cli.run(run, wrong)).code).toBe(3);
    expect(await cli.run(run, second)).toMatchObject({ code: 0, requests: [{}] });
  });

  test("makes batch merge fail if the shards have results of different services", async () => {
    const cli = await createCli({ respond: answer });
    await write(cli, "in.jsonl", Array.from({ length: 8 }, (_, index) => lineOf(`line-${index}`)).join(""));
    await cli.run(`${run} --shard 0/2`, first);
    await cli.run(`${run} --shard 1/2`, second);
    const { code, err } = await cli.run("batch merge out.jsonl");
    expect(code).toBe(2);
    expect(err).toMatch(
      /out\.0-of-2\.jsonl has results of https:\/\/one\.example\.com, but .*out\.1-of-2\.jsonl has results of https:\/\/two\.example\.com/,
    );
    expect(await readdir(cli.folder)).not.toContain("out.jsonl");
  });
});

describe("the copy that replaces the output file", () => {
  const run = "batch run in.jsonl --out out.jsonl";
  const failing = () => new Response("{}", { status: 400 });

  /** A batch of two lines, of which one has failed. */
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
  ])("does not overwrite a user's file OUT.new that has the output's length, after %s", async (_, lines) => {
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

  test("replaces the output if the previous run stopped just before the replacement", async () => {
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

  test("is used if an earlier version of gpuctl named it OUT.new", async () => {
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

  test.skipIf(process.platform === "win32")(
    "replaces the target if the output is a symbolic link",
    async () => {
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
      // The target is missing, as if its file system were not mounted.
      await rm(join(elsewhere, "real.jsonl"));
      expect(await cli.run(run, overNetwork())).toMatchObject({ code: 2, requests: [] });
    },
  );

  test.skipIf(process.platform === "win32").each([0o600, 0o660])(
    "has the same permissions as the output, and so does the file with the replaced results (case %#)",
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

describe("the file with the replaced results", () => {
  const run = "batch run in.jsonl --out out.jsonl";
  const own = "my own notes\n";
  const names = async (cli: Cli) =>
    (await readdir(cli.folder)).filter((name) => name.endsWith(".replaced")).sort();

  test("is always a file that the batch created", async () => {
    const cli = await createCli({ respond: answer });
    await write(cli, "out.jsonl.replaced", own);
    for (const content of ["first", "second", "third"]) {
      await write(cli, "in.jsonl", lineOf("a", content));
      expect((await cli.run(run, overNetwork())).code).toBe(0);
    }
    const [ours = "", ...others] = await names(cli);
    expect(ours).toMatch(/^out\.jsonl\.[\da-f]{16}\.replaced$/);
    expect(others).toEqual(["out.jsonl.replaced"]);
    expect(await read(cli, "out.jsonl.replaced")).toBe(own);
    expect((await read(cli, ours)).match(/"custom_id":"a"/g)).toHaveLength(2);
  });

  test("gets another name if the user has put a file in its place", async () => {
    const cli = await createCli({ respond: answer });
    for (const content of ["first", "second"]) {
      await write(cli, "in.jsonl", lineOf("a", content));
      expect((await cli.run(run, overNetwork())).code).toBe(0);
    }
    expect(await names(cli)).toEqual(["out.jsonl.replaced"]);
    await write(cli, "out.jsonl.replaced", own);
    await write(cli, "in.jsonl", lineOf("a", "third"));
    expect((await cli.run(run, overNetwork())).code).toBe(0);
    expect(await read(cli, "out.jsonl.replaced")).toBe(own);
    expect(await names(cli)).toHaveLength(2);
  });
});

describe.skipIf(process.platform === "win32")("a file of a batch that is changed during the run", () => {
  const run = "batch run in.jsonl --out out.jsonl --concurrency 1";

  /** Runs a batch of four lines. `change` is called while the third request is in flight. */
  async function runChanged(change: (cli: Cli) => Promise<unknown>) {
    let [isChanged, count] = [false, 0];
    const cli: Cli = await createCli({
      respond: async () => {
        count += 1;
        if (count === 3 && !isChanged) {
          isChanged = true;
          await change(cli);
        }
        return answer();
      },
    });
    await write(cli, "in.jsonl", ["a", "b", "c", "d"].map((id) => lineOf(id)).join(""));
    return { cli, ...(await cli.run(run, overNetwork())) };
  }

  test.each<[string, (cli: Cli) => Promise<unknown>]>([
    ["removed", (cli) => rm(join(cli.folder, "out.jsonl"))],
    [
      "saved by an editor",
      async (cli) => {
        const path = join(cli.folder, "out.jsonl");
        await write(cli, "edited", await read(cli, "out.jsonl"));
        await rename(join(cli.folder, "edited"), path);
      },
    ],
    ["emptied", (cli) => write(cli, "out.jsonl", "")],
    ["appended to", (cli) => writeFile(join(cli.folder, "out.jsonl"), "own\n", { flag: "a" })],
  ])("stops the batch if it is the output and was %s, and paid results are kept", async (_, change) => {
    let after: string | undefined;
    const { cli, code, err, requests } = await runChanged(async (changed) => {
      await change(changed);
      after = await read(changed, "out.jsonl").catch(() => undefined);
    });
    expect(code, err).toBe(1);
    expect(err).toMatch(/the output was changed, replaced or removed while the batch was running/);
    expect(requests).toHaveLength(3);
    const [, path = ""] = /Saved to (\S+) instead/.exec(err) ?? [];
    expect(await readFile(path, "utf8")).toContain('"custom_id":"c"');
    expect(await read(cli, "out.jsonl").catch(() => undefined)).toBe(after);
  });

  test.each<[string, (cli: Cli) => Promise<unknown>]>([
    ["removed", (cli) => rm(join(cli.folder, "out.jsonl.journal"))],
    [
      "replaced",
      async (cli) => {
        await write(cli, "copy", await read(cli, "out.jsonl.journal"));
        await rename(join(cli.folder, "copy"), join(cli.folder, "out.jsonl.journal"));
      },
    ],
  ])("stops the batch if it is the journal and was %s, and paid results are kept", async (_, change) => {
    const { code, err, requests } = await runChanged(change);
    expect(code, err).toBe(1);
    expect(err).toMatch(/the journal of this batch was replaced or removed while the batch was running/);
    expect(requests).toHaveLength(3);
    const [, path = ""] = /Saved to (\S+) instead/.exec(err) ?? [];
    expect(await readFile(path, "utf8")).toContain('"custom_id":"c"');
  });
});

describe("a file with the name of the journal", () => {
  const run = "batch run in.jsonl --out out.jsonl";
  const header = journalLine({ event: "header", shard: null });

  test.each([
    ["a line of the user", "my notes\n"],
    ["a text of the user without a line feed", '{"journal":"of my day"}'],
    ["the header of another version", header.replace('"version":1', '"version":2')],
    ["a damaged header", header.replace('"shard":null', '"shard":nuII')],
  ])("is neither used nor changed if it contains %s", async (_, text) => {
    const cli = await createCli({ respond: answer });
    await write(cli, "in.jsonl", lineOf("a"));
    await write(cli, "out.jsonl.journal", text);
    const { code, err, requests } = await cli.run(run, overNetwork());
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toMatch(/out\.jsonl\.journal:1 is damaged, or was not written by this version of gpuctl/);
    expect(await read(cli, "out.jsonl.journal")).toBe(text);
  });

  test.each([
    ["nothing", ""],
    ["the first byte of the header", header.slice(0, 1)],
    ["half of the header", header.slice(0, 20)],
    ["the header without its line feed", header.slice(0, -1)],
    ["zeros, after a power loss", "\0".repeat(header.length)],
    ["the start of the header and zeros", header.slice(0, 20).padEnd(header.length, "\0")],
  ])("is used as the journal of a new batch if it contains %s", async (_, text) => {
    const cli = await createCli({ respond: answer });
    await write(cli, "in.jsonl", lineOf("a"));
    await write(cli, "out.jsonl.journal", text);
    expect((await cli.run(run, overNetwork())).code).toBe(0);
    expect(await recordsOf(cli)).toMatchObject([{ event: "header" }, {}, {}, { event: "done", id: "a" }]);
  });
});

describe("a result that is in the output, but not in the journal, after a crash", () => {
  const run = "batch run in.jsonl --out out.jsonl";
  const nested = `${"[".repeat(2000)}${"]".repeat(2000)}`;

  test.each<[string, () => Response, string]>([
    ["a success", answer, "done"],
    ["a refusal", () => Response.json({ message: "no such model" }, { status: 400 }), "failed"],
    ["a redirect", () => new Response("", { status: 308, headers: { location: "/new" } }), "unknown"],
    ["an unused status below 400", () => new Response("{}", { status: 399 }), "unknown"],
    [
      "a refusal that is too long to be read to its end",
      () => Response.json({ message: "x".repeat(1024 * 1024 + 1) }, { status: 400 }),
      "unknown",
    ],
    ["a refusal that is nested too deeply", () => new Response(nested, { status: 400 }), "unknown"],
    ["a failure of the service", () => new Response("{}", { status: 500 }), "unknown"],
  ])("has the same outcome as before: %s", async (_, respond, event) => {
    const cli = await createCli({ respond });
    await write(cli, "in.jsonl", lineOf("a"));
    const before = await cli.run(run, overNetwork());
    const status = async () => JSON.parse((await cli.run("batch status . -o json")).out);
    const statusBefore = await status();
    const result = (await recordsOf(cli)).at(-1);
    expect(result).toMatchObject({ event, id: "a" });
    const journal = await read(cli, "out.jsonl.journal");
    await write(cli, "out.jsonl.journal", journal.replace(/[^\n]*\n$/, ""));
    expect(await cli.run(run, overNetwork())).toMatchObject({ code: before.code, requests: [] });
    expect((await recordsOf(cli)).filter((record) => "end" in record)).toMatchObject([{ event, id: "a" }]);
    expect(await status()).toEqual(statusBefore);
  });
});

describe("a complete output", () => {
  const run = "batch run in.jsonl --out out.jsonl";

  async function completeBatch() {
    const cli = await createCli({ respond: answer });
    await write(cli, "in.jsonl", lineOf("a") + lineOf("b"));
    expect((await cli.run(run, overNetwork())).code).toBe(0);
    await write(cli, "in.jsonl", lineOf("a") + lineOf("b") + lineOf("c"));
    return cli;
  }

  test.each([
    ["a comment", "# checked by hand\n"],
    ["a comment without a line feed", "# checked by hand"],
    ["a JSON object without an ID", '{"note":"checked"}\n'],
    ["a JSON object without an ID or a line feed", '{"note":"checked"}'],
    ["a JSON value", "[1]\n"],
    ["a result without a request", '{"custom_id":"z","response":null,"error":null}\n'],
    ["a result that the journal already has", '{"custom_id":"a","response":null,"error":null}\n'],
    ["a comment after an incomplete line", '{"id":"batch_req_# checked by hand\n'],
  ])("is neither continued nor cut off if something was added: %s", async (what, added) => {
    const cli = await completeBatch();
    const output = (await read(cli, "out.jsonl")) + added;
    await write(cli, "out.jsonl", output);
    const { code, err, requests } = await cli.run(run, overNetwork());
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    const isResult = what.startsWith("a result");
    expect(err).toContain(
      `out.jsonl:3 is not ${isResult ? "accounted for by the journal" : "a result of the batch"}\n`,
    );
    expect(err).toMatch(
      isResult ? /If the journal is an old copy, restore/ : /Move this line to another file/,
    );
    expect(await read(cli, "out.jsonl")).toBe(output);
    await write(cli, "out.jsonl", output.slice(0, -added.length));
    expect(await cli.run(run, overNetwork())).toMatchObject({ code: 0, requests: [{}] });
  });

  test("is not continued if its journal was replaced by an old copy", async () => {
    const cli = await createCli({ respond: answer });
    await write(cli, "in.jsonl", lineOf("a"));
    await cli.run(run, overNetwork());
    const old = await read(cli, "out.jsonl.journal");
    await write(cli, "in.jsonl", lineOf("a") + lineOf("b"));
    await cli.run(run, overNetwork());
    const newest = await read(cli, "out.jsonl.journal");
    await write(cli, "out.jsonl.journal", old);
    const { code, err, requests } = await cli.run(run, overNetwork());
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain("out.jsonl:2 is not accounted for by the journal");
    expect(err).toContain("If the journal is an old copy, restore the newest one.");
    await write(cli, "out.jsonl.journal", newest);
    expect(await cli.run(run, overNetwork())).toMatchObject({ code: 0, requests: [] });
  });

  test("is neither continued nor cut off if its first line was changed", async () => {
    const cli = await completeBatch();
    const output = (await read(cli, "out.jsonl")).replace("Hi", "Hello");
    await write(cli, "out.jsonl", output);
    const { code, err, requests } = await cli.run(run, overNetwork());
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toMatch(/says that a line ends at byte \d+, but none does: the output was changed/);
    expect(await read(cli, "out.jsonl")).toBe(output);
  });

  test.each([
    ["one byte was added to its first line", "Hi!", ""],
    ["spaces were added to its first line, and a blank line to its end", "Hi  ", "\n  \n"],
    ["one byte was removed from its first line", "H", ""],
    ["one byte was removed from its first line, and a run began another line", "H", "{"],
    ["one byte was removed from its first line, and a run was killed", "H", '{"id":"batch_req_01'],
    ["one byte was removed from its first line, and the power failed", "H", "\0\0\0"],
  ])("is neither continued nor cut off if %s", async (_, word, added) => {
    const cli = await completeBatch();
    const intact = await read(cli, "out.jsonl");
    const output = intact.replace("Hi", word) + added;
    await write(cli, "out.jsonl", output);
    const { code, err, requests } = await cli.run(run, overNetwork());
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toMatch(
      /its journal says that (a line ends at byte|there are) \d+.*: the output was changed/,
    );
    expect(await read(cli, "out.jsonl")).toBe(output);
    await write(cli, "out.jsonl", intact);
    expect(await cli.run(run, overNetwork())).toMatchObject({ code: 0, requests: [{}] });
  });

  test("is not cut off at a damaged line if a result that is not in the journal follows it", async () => {
    const cli = await completeBatch();
    const [torn = "", result = ""] = (await read(cli, "out.jsonl")).split("\n");
    const records = (await recordsOf(cli)).filter(({ event }) => event !== "done");
    await write(cli, "out.jsonl.journal", records.map(journalLine).join(""));
    const output = `${"\0".repeat(torn.length)}\n${result}\n`;
    await write(cli, "out.jsonl", output);
    const { code, err, requests } = await cli.run(run, overNetwork());
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toMatch(/out\.jsonl:1 is not a result of the batch\n.*Move this line to another file/);
    expect(await read(cli, "out.jsonl")).toBe(output);
    await write(cli, "out.jsonl", `${result}\n`);
    expect(await cli.run(run, overNetwork())).toMatchObject({ code: 12, requests: [{}] });
    expect(await read(cli, "out.jsonl")).toContain(result);
  });

  test.each([
    ["the start of a line", '{"id":"batch_req_01'],
    ["zeros, after a power loss", "\0\0\0"],
    ["the start of a line and zeros", '{"id":"batch_req_01\0\0\0'],
    ["a line that begins with zeros", '\0\0\0"error":null}\n'],
    ["a blank line", "\r\n"],
  ])("is continued without the addition if the addition was %s", async (_, added) => {
    const cli = await completeBatch();
    const output = await read(cli, "out.jsonl");
    await write(cli, "out.jsonl", output + added);
    expect(await cli.run(run, overNetwork())).toMatchObject({ code: 0, requests: [{}] });
    expect((await read(cli, "out.jsonl")).slice(0, output.length)).toBe(output);
    expect((await read(cli, "out.jsonl")).slice(output.length)).toMatch(/^\{"id":.*"custom_id":"c".*\}\n$/);
  });
});
