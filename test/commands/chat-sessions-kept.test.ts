import { copyFile, mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { collectAnswers, moveToFree, whileLocked } from "../../src/sessions/file.ts";
import { createSessions } from "../../src/sessions/store.ts";
import { processes } from "../../src/system/files.ts";
import { type Cli, createCli } from "../support/cli.ts";
import { deadProcess } from "../support/leases.ts";
import { overNetwork } from "../support/service.ts";

const folderOf = ({ folder }: Cli) => join(folder, "state", "chat-sessions");
const fileOf = (cli: Cli, name: string) => join(folderOf(cli), `${name}.jsonl`);
const turnsIn = async (cli: Cli, name: string) =>
  JSON.parse((await cli.run(`chat sessions show ${name} -o json`)).out) as Record<string, unknown>[];
const namesIn = async ({ run }: Cli) => (await run("chat sessions list -o id")).out.trim().split("\n");

describe("a session", () => {
  test.each(["Last", "LAST", "laſt"])(
    "cannot be created with the name %s: on a disk that ignores case, its file would be that of the last question",
    async (name) => {
      const cli = await createCli();
      for (const dryRun of ["", " --dry-run"]) {
        const outcome = await cli.run(`chat hello --session ${name} --sandbox${dryRun}`);
        expect(outcome).toMatchObject({ code: 2, requests: [] });
        expect(outcome.err).toContain(`a new session cannot be named "${name}"`);
      }
      const saved = await cli.run("chat --sandbox", { terminal: 80, lines: ["hello", `/save ${name}`] });
      expect(saved.err).toContain(`a new session cannot be named "${name}"`);
      expect(await namesIn(cli)).not.toContain(name);
    },
  );

  test("does not replace another one that gets its new name while it waits to be renamed", async () => {
    const cli = await createCli();
    for (const name of ["a", "b"]) await cli.run(`chat ${name} --session ${name} --sandbox`);
    const [from, to] = [fileOf(cli, "a"), fileOf(cli, "mine")];
    const renamed = await whileLocked(to, processes, async () => {
      const waiting = moveToFree(from, to, processes);
      await copyFile(fileOf(cli, "b"), to);
      return { waiting };
    });
    expect(await renamed.waiting).toBe(false);
    expect(await namesIn(cli)).toHaveLength(3);
    expect(await turnsIn(cli, "mine")).toMatchObject([{ content: "b" }, {}]);
  });

  test("that is already named Last can still be read and continued", async () => {
    const cli = await createCli();
    await cli.run("chat hello --session s --sandbox");
    await writeFile(fileOf(cli, "Last"), await readFile(fileOf(cli, "s")));
    expect(await turnsIn(cli, "Last")).toHaveLength(2);
    expect(await cli.run("chat more --session Last --sandbox")).toMatchObject({ code: 0 });
    expect(await turnsIn(cli, "Last")).toHaveLength(4);
  });
});

test.each(["", " --no-stream"])(
  "an answer whose usage is nested very deeply is stored: chat%s",
  async (flags) => {
    const depth = 50_000;
    const usage = `{"prompt_tokens":1,"details":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    const choice = `{"index":0,"finish_reason":"stop","KEY":{"role":"assistant","content":"Hello"}}`;
    const body = `{"choices":[${choice.replace("KEY", flags === "" ? "delta" : "message")}],"usage":${usage}}`;
    const cli = await createCli({
      respond: () =>
        flags === ""
          ? new Response(`data: ${body}\n\ndata: [DONE]\n\n`, {
              headers: { "content-type": "text/event-stream" },
            })
          : new Response(body),
    });
    const outcome = await cli.run(`chat Hi -m llama --session deep${flags}`, overNetwork());
    expect(outcome).toMatchObject({ code: 0, out: "Hello\n", err: "" });
    const exported = await cli.run("chat sessions export deep --format jsonl");
    expect(exported.code).toBe(0);
    const [, answer] = exported.out.trim().split("\n");
    expect(JSON.parse(answer ?? "")).toMatchObject({ content: "Hello", usage: { prompt_tokens: 1 } });
    expect((await cli.run("chat sessions show deep")).out).toContain("Hello");
  },
);

describe("an answer file", () => {
  const turn = { id: "def", parent: null, time: "2026-11-22T12:00:00.000Z", role: "assistant" };
  const answer = `${JSON.stringify({ process: deadProcess, turn })}\n"Half of"\n`;

  /** Makes a file that even root cannot read (ELOOP), and returns a function that makes it readable. */
  async function unreadable(path: string) {
    await symlink(path, path);
    return async () => {
      await rm(path);
      await writeFile(path, answer);
    };
  }

  test("that cannot be read is kept when its session is continued, and its answer is stored once it can be read", async () => {
    const cli = await createCli();
    await cli.run("chat hello --session s --sandbox");
    const makeReadable = await unreadable(`${fileOf(cli, "s")}.def.answer`);
    expect(await cli.run("chat more --session s --sandbox")).toMatchObject({ code: 0 });
    await makeReadable();
    expect(await cli.run("chat again --session s --sandbox")).toMatchObject({ code: 0 });
    expect(await readFile(fileOf(cli, "s"), "utf8")).toContain("Half of");
    expect(await readdir(folderOf(cli))).toEqual(["s.jsonl"]);
  });

  test.each([
    [
      "a question",
      JSON.stringify({ format: "gpuctl-chat-session", version: 1, process: deadProcess }),
      "last",
    ],
    ["a damaged question", "\0\0\0", "recovered"],
  ])("that cannot be read is kept next to %s of a killed process", async (_kind, contents, becomes) => {
    const cli = await createCli();
    await mkdir(folderOf(cli), { recursive: true });
    const question = `${fileOf(cli, "last")}.abc.question`;
    await writeFile(question, `${contents}\n`);
    const makeReadable = await unreadable(`${question}.def.answer`);
    expect(await namesIn(cli)).toEqual([""]);
    expect(await readdir(folderOf(cli))).toHaveLength(2);
    await makeReadable();
    expect(await namesIn(cli)).toEqual([becomes]);
    expect(await turnsIn(cli, becomes)).toMatchObject([{ content: "Half of" }]);
    expect(await readdir(folderOf(cli))).toEqual([`${becomes}.jsonl`]);
  });

  test("is checked again under the lock, and left alone if its answer is still arriving", async () => {
    const cli = await createCli();
    await cli.run("chat hello --session s --sandbox");
    const path = `${fileOf(cli, "s")}.def.answer`;
    await writeFile(path, answer);
    const seen = [false, true];
    const isRunning = () => seen.shift() ?? true;
    expect(await collectAnswers(fileOf(cli, "s"), { ...processes, isRunning, isHere: () => true })).toBe(
      false,
    );
    expect(await readFile(path, "utf8")).toBe(answer);
  });
});

describe("the last question", () => {
  const future = Date.now() / 1000 + 1_000_000;

  test("is replaced by the next question, even if its time is in the future because the clock was set back", async () => {
    const cli = await createCli();
    await cli.run("chat first --sandbox");
    await utimes(fileOf(cli, "last"), future, future);
    await cli.run("chat second --sandbox");
    expect((await turnsIn(cli, "last")).at(-1)?.content).toBe("sandbox-echo heard: second");
    expect(await readdir(folderOf(cli))).toEqual(["last.jsonl"]);
  });

  test("is listed before a session whose time is far in the future", async () => {
    const cli = await createCli();
    await cli.run("chat hello --session ahead --sandbox");
    await utimes(fileOf(cli, "ahead"), future, future);
    await cli.run("chat question --sandbox");
    expect(await namesIn(cli)).toEqual(["last", "ahead"]);
  });

  test("is opened with its history by only one of two simultaneous calls; the other call fails", async () => {
    const cli = await createCli();
    await cli.run("chat question --sandbox");
    const nameFor = () => "name";
    const place = { folder: folderOf(cli), processes, now: () => 0, nameFor };
    const opened = await Promise.allSettled([1, 2].map(() => createSessions(place).open("last")));
    const turns = opened.flatMap((one) => (one.status === "fulfilled" ? [one.value.turns().length] : []));
    const errors = opened.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
    expect({ turns, errors }).toEqual({ turns: [2], errors: ['NotFound: no session "last"'] });
  });
});
