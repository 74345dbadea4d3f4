import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { appendFile, mkdir, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { asList, asRecord } from "../../src/core/json.ts";
import { collectAnswers } from "../../src/sessions/file.ts";
import { createSessions } from "../../src/sessions/store.ts";
import { processes } from "../../src/system/files.ts";
import { type Cli, createCli, type SeenRequest } from "../support/cli.ts";
import { deadProcess, distantProcess, hour } from "../support/leases.ts";

const folderOf = ({ folder }: Cli) => join(folder, "state", "chat-sessions");
const fileOf = (cli: Cli, name: string) => join(folderOf(cli), `${name}.jsonl`);
const turnsIn = async (cli: Cli, name: string) =>
  JSON.parse((await cli.run(`chat sessions show ${name} -o json`)).out) as Record<string, unknown>[];
const messagesOf = ([request]: readonly SeenRequest[]) =>
  asList(asRecord(request?.body).messages)
    .map(asRecord)
    .map(({ role, content }) => `${role}: ${content}`);
const namesIn = async ({ run }: Cli) => (await run("chat sessions list -o id")).out.trim().split("\n");

test.each([
  ["a pipe", (path: string) => execa("mkfifo", [path])],
  ["a folder", (path: string) => mkdir(path)],
])("%s in place of a session file is an error, and is not listed as a session", async (_kind, make) => {
  const cli = await createCli();
  await cli.run("chat Hello --session good --sandbox");
  await make(fileOf(cli, "odd"));
  for (const line of [
    "chat Hello --session odd --sandbox",
    "chat sessions show odd",
    "chat sessions export odd",
  ]) {
    const { code, err, requests } = await cli.run(line);
    expect({ code, requests }, line).toEqual({ code: 2, requests: [] });
    expect(err).toContain(`${fileOf(cli, "odd")} is not a regular file`);
    expect(err).not.toContain("bug");
  }
  expect(await namesIn(cli)).toEqual(["good"]);
});

test("a question whose time is unreadable gets a name with the current date when it is continued", async () => {
  const cli = await createCli();
  await cli.run("chat 🐈 --sandbox");
  const text = await readFile(fileOf(cli, "last"), "utf8");
  await writeFile(fileOf(cli, "last"), text.replaceAll(/"time":"[^"]*"/g, '"time":"yesterday"'));
  expect(await cli.run("chat -c More --sandbox")).toMatchObject({ code: 0 });
  expect(await namesIn(cli)).toEqual([expect.stringMatching(/^2026-11-20-\d{6}-chat$/)]);
});

test("a pipe in place of the file of an unfinished answer is ignored", async () => {
  const cli = await createCli();
  await cli.run("chat Hello --session good --sandbox");
  await execa("mkfifo", [`${fileOf(cli, "good")}.abc.answer`]);
  expect(await turnsIn(cli, "good")).toHaveLength(2);
});

test("an unfinished answer of a process on another machine counts as cut off after an hour without change", async () => {
  const cli = await createCli();
  await cli.run("chat Hello --session good --sandbox");
  const [question] = await turnsIn(cli, "good");
  const path = `${fileOf(cli, "good")}.abc.answer`;
  const turn = { ...question, id: "abc", parent: question?.id, role: "assistant" };
  await writeFile(path, `${JSON.stringify({ process: distantProcess, turn })}\n"Half of"\n`);
  expect((await turnsIn(cli, "good")).at(-1)).toMatchObject({ incomplete: "still being received" });
  const earlier = (Date.now() - 2 * hour) / 1000;
  await utimes(path, earlier, earlier);
  expect((await turnsIn(cli, "good")).at(-1)).toMatchObject({
    content: "Half of",
    incomplete: "gpuctl ended before the answer was stored",
  });
});

describe("a question file that a killed process left behind", () => {
  /** Leaves behind a question with these contents, and a part of its answer. */
  async function leftBehind(contents: string) {
    const cli = await createCli();
    await cli.run("chat Hello --session good --sandbox");
    const question = `${fileOf(cli, "last")}.abc.question`;
    await writeFile(question, contents);
    const time = "2026-11-22T12:00:00.000Z";
    const turn = { id: "def", parent: "abc", time, role: "assistant" };
    await writeFile(
      `${question}.def.answer`,
      `${JSON.stringify({ process: deadProcess, turn })}\n"Half of"\n`,
    );
    return { cli, question };
  }

  test.each([
    ["filled with zeros", "\0".repeat(300)],
    ["emptied", ""],
    ["changed", "my notes\n"],
  ])(
    "does not stop other commands if it was %s, and its partial answer becomes a new session",
    async (_how, contents) => {
      const { cli } = await leftBehind(contents);
      await cli.run("chat Hello --session recovered --sandbox");
      expect((await namesIn(cli)).sort()).toEqual(["good", "recovered", "recovered-2"]);
      expect(await turnsIn(cli, "recovered-2")).toMatchObject([
        { role: "assistant", content: "Half of", incomplete: "gpuctl ended before the answer was stored" },
      ]);
      expect(await cli.run("chat More --session recovered-2 --sandbox")).toMatchObject({ code: 0 });
      expect(await cli.run("chat sessions remove good recovered-2 --yes")).toMatchObject({ code: 0 });
      expect(await readdir(folderOf(cli))).toEqual(["recovered.jsonl"]);
    },
  );

  test("becomes, if its first line is damaged, a session with the turns that can still be read", async () => {
    const turn = { id: "abc", parent: null, time: "2026-11-22T12:00:00.000Z", role: "user", content: "Why?" };
    const { cli } = await leftBehind(`\0\0\0\n${JSON.stringify(turn)}\n\0\0`);
    expect(await namesIn(cli)).toContain("recovered");
    expect(await turnsIn(cli, "recovered")).toMatchObject([{ content: "Why?" }, { content: "Half of" }]);
  });

  test.each([
    ["becomes a session if there is a later question", 1, "sandbox-echo heard: later", ["recovered.jsonl"]],
    ["replaces the answer to an earlier question", 2_000_000_000, "Half of", []],
  ])("%s", async (_what, written, expected, more) => {
    const header = JSON.stringify({ format: "gpuctl-chat-session", version: 1, process: deadProcess });
    const { cli, question } = await leftBehind(`${header}\n`);
    await cli.run("chat later --sandbox");
    for (const path of [question, `${question}.def.answer`]) await utimes(path, written, written);
    expect((await turnsIn(cli, "last")).at(-1)?.content).toBe(expected);
    expect((await readdir(folderOf(cli))).sort()).toEqual(["good.jsonl", "last.jsonl", ...more]);
    expect(await turnsIn(cli, more.length > 0 ? "recovered" : "last")).toMatchObject([
      { content: "Half of" },
    ]);
  });

  test.each([
    ["aaa", "bbb"],
    ["bbb", "aaa"],
  ])("does not replace the answer to a newer question, whatever the IDs: %s, %s", async (earlier, later) => {
    const cli = await createCli();
    await mkdir(folderOf(cli), { recursive: true });
    const header = JSON.stringify({ format: "gpuctl-chat-session", version: 1, process: deadProcess });
    for (const [id, written] of [
      [earlier, 1_000],
      [later, 2_000],
    ] as const) {
      const question = `${fileOf(cli, "last")}.${id}.question`;
      const turn = { id, parent: null, time: "2026-11-22T12:00:00.000Z", role: "assistant" };
      const answer = `${JSON.stringify({ process: deadProcess, turn })}\n"${id}"\n`;
      await writeFile(question, `${header}\n`);
      await writeFile(`${question}.def.answer`, answer);
      for (const path of [question, `${question}.def.answer`]) await utimes(path, written, written);
    }
    expect(await turnsIn(cli, "last")).toMatchObject([{ content: later }]);
    expect(await turnsIn(cli, "recovered")).toMatchObject([{ content: earlier }]);
    expect((await readdir(folderOf(cli))).sort()).toEqual(["last.jsonl", "recovered.jsonl"]);
  });

  test("is not changed if it has another format version", async () => {
    const contents = '{"format":"gpuctl-chat-session","version":2}\n';
    const { cli, question } = await leftBehind(contents);
    expect(await namesIn(cli)).toEqual(["good"]);
    expect(await readFile(question, "utf8")).toBe(contents);
    expect(await readdir(folderOf(cli))).toHaveLength(3);
  });

  test("does not stop other commands if there is a folder in its place", async () => {
    const { cli, question } = await leftBehind("");
    rmSync(question);
    await mkdir(question);
    expect(await namesIn(cli)).toEqual(["good"]);
    expect(await cli.run("chat sessions remove good --yes")).toMatchObject({ code: 0 });
  });
});

test("an answer that a killed process left behind recreates the file of its session if the file was removed", async () => {
  const cli = await createCli();
  await mkdir(folderOf(cli), { recursive: true });
  const turn = { id: "def", parent: null, time: "2026-11-22T12:00:00.000Z", role: "assistant" };
  const line = JSON.stringify({ process: deadProcess, turn });
  await writeFile(`${fileOf(cli, "s")}.def.answer`, `${line}\n"Half of"\n`);
  await collectAnswers(fileOf(cli, "s"), processes);
  expect(await turnsIn(cli, "s")).toMatchObject([{ content: "Half of" }]);
});

describe("chat without --session", () => {
  test("can be continued with -c in a new session, which the next question does not replace", async () => {
    const cli = await createCli();
    await cli.run("chat 'Which GPU?' --sandbox");
    expect(await namesIn(cli)).toEqual(["last"]);
    const { requests } = await cli.run("chat 'And then?' -c --sandbox");
    expect(messagesOf(requests)).toEqual([
      "user: Which GPU?",
      "assistant: sandbox-echo heard: Which GPU?",
      "user: And then?",
    ]);
    const [name = ""] = await namesIn(cli);
    expect(name).toMatch(/which-gpu$/);
    await cli.run("chat 'Something else' --sandbox");
    expect(await turnsIn(cli, name)).toHaveLength(4);
    expect((await namesIn(cli)).sort()).toEqual([name, "last"].sort());
  });

  test("replaces the previous question only after the new question is answered", async () => {
    let fails = false;
    const cli = await createCli({
      respond: () =>
        fails ? Response.json({ error: { code: "NO", message: "no" } }, { status: 401 }) : undefined,
    });
    await cli.run("chat first --sandbox");
    fails = true;
    expect((await cli.run("chat second --sandbox")).code).toBe(3);
    expect(await turnsIn(cli, "last")).toMatchObject([{ content: "first" }, { role: "assistant" }]);
    expect(await readdir(folderOf(cli))).toEqual(["last.jsonl"]);
  });

  test("saves no session if chat.sessions is off", async () => {
    const cli = await createCli();
    await cli.run("config set chat.sessions false");
    await cli.run("chat hello --sandbox");
    expect((await cli.run("chat more -c --sandbox")).err).toContain("there are no sessions");
    await cli.run("chat hello --session kept --sandbox");
    expect(await namesIn(cli)).toEqual(["kept"]);
  });

  test("prints the answer even if it cannot be saved", async () => {
    const cli = await createCli();
    await writeFile(join(cli.folder, "state"), "not a folder");
    const { code, out, err } = await cli.run("chat hello --sandbox");
    expect({ code, out }).toEqual({ code: 0, out: "sandbox-echo heard: hello\n" });
    expect(err).toContain("This question cannot be continued with --continue");
  });
});

describe("a session", () => {
  test("is readable only by its user, and has one line of JSON for each turn", async () => {
    const cli = await createCli();
    await cli.run("chat hello --session mine --system 'Be brief' --sandbox");
    await cli.run("chat again --session mine --sandbox -o json");
    expect((await stat(folderOf(cli))).mode & 0o777).toBe(0o700);
    expect((await stat(fileOf(cli, "mine"))).mode & 0o777).toBe(0o600);
    const [header, ...turns] = (await readFile(fileOf(cli, "mine"), "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(header).toMatchObject({ version: 1 });
    expect(turns).toMatchObject([
      { role: "system", parent: null },
      { role: "user", content: "hello", parent: turns[0].id },
      {
        role: "assistant",
        model: "sandbox-echo",
        finish: "stop",
        usage: { prompt_tokens: expect.any(Number) },
      },
      { role: "user", content: "again", parent: turns[2].id },
      { role: "assistant", parent: turns[3].id },
    ]);
  });

  test("keeps its system prompt and model until flags change them", async () => {
    const cli = await createCli({
      respond: ({ path }) =>
        path.endsWith("completions")
          ? Response.json({
              model: "vendor/big-0815",
              choices: [{ message: { content: "yes" }, finish_reason: "stop" }],
            })
          : undefined,
    });
    const account = {
      env: { GPUCTL_API_KEY: "sk-test-1234567890", GPUCTL_BASE_URL: "https://api.example.com" },
    };
    await cli.run("chat hello --session s -m big -s 'Be brief'", account);
    const { requests } = await cli.run("chat more --session s", account);
    expect(requests[0]?.body).toMatchObject({ model: "big" });
    expect(messagesOf(requests)[0]).toBe("system: Be brief");
    const other = await cli.run("chat more -c -m small -s 'Be long'", account);
    expect(other.requests[0]?.body).toMatchObject({ model: "small" });
    expect(messagesOf(other.requests).filter((one) => one.startsWith("system"))).toEqual(["system: Be long"]);
  });

  test("remembers separately which model it uses in the sandbox and with a service", async () => {
    const cli = await createCli({
      respond: ({ body }) =>
        asRecord(body).model === "big"
          ? Response.json({ choices: [{ message: { content: "yes" }, finish_reason: "stop" }] })
          : undefined,
    });
    const account = {
      env: { GPUCTL_API_KEY: "sk-test-1234567890", GPUCTL_BASE_URL: "https://api.example.com" },
    };
    const script = '{"when":{"model":"small"},"text":"I am small"}';
    await cli.run("sandbox chat script - --sandbox", { stdin: script });
    expect(await cli.run("chat hi -m small --session s --sandbox")).toMatchObject({ code: 0 });
    expect(await cli.run("chat hi -m big --session s", account)).toMatchObject({ code: 0 });
    expect(await cli.run("chat more --session s --sandbox")).toMatchObject({
      code: 0,
      out: "I am small\n",
    });
    const { requests } = await cli.run("chat more --session s", account);
    expect(requests[0]?.body).toMatchObject({ model: "big" });
  });

  test.each([
    ["the first question", [], "new"],
    ["a later question", ["chat hello --session s -s old"], "new"],
  ])("keeps the instructions that came with %s if it was not answered", async (_, lines, instructions) => {
    let fails = false;
    const cli = await createCli({
      respond: ({ path }) => {
        if (!path.endsWith("completions")) return undefined;
        const choices = [{ message: { content: "yes" }, finish_reason: "stop" }];
        return fails ? Response.json({}, { status: 429 }) : Response.json({ choices });
      },
    });
    const account = {
      env: { GPUCTL_API_KEY: "sk-test-1234567890", GPUCTL_BASE_URL: "https://api.example.com" },
    };
    for (const line of lines) await cli.run(`${line} -m m`, account);
    fails = true;
    expect((await cli.run("chat more --session s -m m -s replaced", account)).code).toBe(9);
    expect((await cli.run(`chat more --session s -m m -s ${instructions}`, account)).code).toBe(9);
    fails = false;
    const { requests } = await cli.run("chat again --session s -m m", account);
    expect(messagesOf(requests).filter((one) => one.startsWith("system"))).toEqual([
      `system: ${instructions}`,
    ]);
    expect(messagesOf(requests)).not.toContain("user: more");
  });

  test.each(["chat sessions list", "chat sessions search x", "chat sessions show s", "chat -c hi"])(
    "cannot be read if its folder is a file, and %s says so",
    async (line) => {
      const cli = await createCli();
      await mkdir(join(cli.folder, "state"), { recursive: true });
      await writeFile(join(cli.folder, "state", "chat-sessions"), "a file");
      const { code, err } = await cli.run(`${line} --sandbox`);
      expect({ code, err }).toEqual({
        code: 2,
        err: expect.stringMatching(/^Error: the chat session.* cannot be read: /),
      });
    },
  );

  test("requires --model if no model is known", async () => {
    const cli = await createCli();
    const account = {
      env: { GPUCTL_API_KEY: "sk-test-1234567890", GPUCTL_BASE_URL: "https://api.example.com" },
    };
    const { code, err, requests } = await cli.run("chat hello --session s", account);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain("--model");
  });

  test.each(["../x", "a/b", ".hidden", "-x", "", "con", "x".repeat(65)])(
    "cannot have the name %j",
    async (name) => {
      const cli = await createCli();
      const { code, requests } = await cli.run(["chat", "hello", `--session=${name}`, "--sandbox"]);
      expect({ code, requests }).toEqual({ code: 2, requests: [] });
    },
  );

  test.each([
    ["con.1", /"con" is the name of a device/],
    ["𝒳".repeat(60), /at most 200 bytes/],
    ["x".repeat(65), /1 to 64 characters/],
  ])("with the invalid name %j is rejected, and the error names the broken rule", async (name, rule) => {
    const cli = await createCli();
    const { err } = await cli.run(["chat", "hello", `--session=${name}`, "--sandbox"]);
    expect(err).toContain("is not a valid session name");
    expect(err).toMatch(rule);
  });

  test("marks an answer that was cut off, and says so when it is continued", async () => {
    let isFirst = true;
    const cli = await createCli({
      respond: () => {
        if (!isFirst) return undefined;
        isFirst = false;
        return new Response('data: {"choices":[{"delta":{"content":"Half of"}}]}\n\n', {
          headers: { "content-type": "text/event-stream" },
        });
      },
    });
    expect((await cli.run("chat hello --session s --sandbox")).code).toBe(9);
    expect((await turnsIn(cli, "s"))[1]).toMatchObject({
      content: "Half of",
      incomplete: expect.stringContaining("cut off"),
    });
    const { err, requests } = await cli.run("chat 'Go on' --session s --sandbox");
    expect(err).toContain("The last answer is incomplete");
    expect(messagesOf(requests)[1]).toContain("Half of\n\n[This answer was cut off here.]");
  });

  test("reports an answer that was cut off and could not be stored", async () => {
    const cli: Cli = await createCli({
      respond: () => {
        writeFileSync(fileOf(cli, "s"), "my notes");
        return new Response('data: {"choices":[{"delta":{"content":"Half of"}}]}\n\n', {
          headers: { "content-type": "text/event-stream" },
        });
      },
    });
    const { code, out, err } = await cli.run("chat hello --session s --sandbox");
    expect({ code, out }).toEqual({ code: 9, out: "Half of\n" });
    expect(err).toContain("Warning: the answer could not be stored in");
    expect(err).toContain("the response was cut off");
  });

  test("continues all of a conversation in which an answer was stored after the next question", async () => {
    const cli = await createCli();
    await cli.run(["chat", "one", "--session", "s", "--system", "Be brief", "--sandbox"]);
    await cli.run("chat two --session s --sandbox");
    const [header = "", ...turns] = (await readFile(fileOf(cli, "s"), "utf8")).trimEnd().split("\n");
    const [system = "", one = "", firstAnswer = "", two = "", secondAnswer = ""] = turns;
    await writeFile(
      fileOf(cli, "s"),
      `${[header, system, one, two, firstAnswer, secondAnswer].join("\n")}\n`,
    );
    const { requests } = await cli.run("chat three --session s --sandbox");
    expect(messagesOf(requests)).toEqual([
      "system: Be brief",
      "user: one",
      expect.stringMatching(/^assistant: .*one/),
      "user: two",
      expect.stringMatching(/^assistant: .*two/),
      "user: three",
    ]);
  });

  test("skips lines that cannot be read, and drops a last line that is incomplete", async () => {
    const cli = await createCli();
    await cli.run("chat hello --session s --sandbox");
    await appendFile(fileOf(cli, "s"), 'garbage\n{"id":"x","role":"us');
    const shown = await cli.run("chat sessions show s -o id");
    expect(shown.out.trim().split("\n")).toHaveLength(2);
    expect(shown.err).toMatch(/line 4 cannot be read/);
    expect(shown.err).toMatch(/line 5 is cut off/);
    await cli.run("chat more --session s --sandbox");
    expect(await turnsIn(cli, "s")).toHaveLength(4);
    expect(await readFile(fileOf(cli, "s"), "utf8")).not.toContain('"role":"us\n');
  });

  test("of a newer version is rejected, but still listed", async () => {
    const cli = await createCli();
    await mkdir(folderOf(cli), { recursive: true });
    await writeFile(fileOf(cli, "s"), '{"format":"gpuctl-chat-session","version":2}\n');
    const { code, err, requests } = await cli.run("chat hello --session s --sandbox");
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain("Update gpuctl");
    expect(await cli.run("chat sessions list -o id")).toMatchObject({ code: 0, out: "s\n" });
  });

  test("that cannot be read does not stop a search", async () => {
    const cli = await createCli();
    await cli.run("chat hello --session a --sandbox");
    await cli.run("chat hello --session c --sandbox");
    await writeFile(fileOf(cli, "b"), '{"format":"gpuctl-chat-session","version":0}\n');
    const { code, out, err } = await cli.run("chat sessions search heard -o id");
    expect({ code, found: out.trim().split("\n").sort() }).toEqual({ code: 0, found: ["a", "c"] });
    expect(err).toContain("has format 0; this gpuctl reads format 1");
  });

  test("is not changed by a dry run", async () => {
    const cli = await createCli();
    await cli.run("chat hello --sandbox");
    const { out } = await cli.run("chat more -c --dry-run --sandbox");
    expect(out).toContain("sandbox-echo heard: hello");
    expect(await namesIn(cli)).toEqual(["last"]);
    expect(await turnsIn(cli, "last")).toHaveLength(2);
  });

  test("that cannot be written is an error before the question is sent", async () => {
    const cli = await createCli();
    await mkdir(join(fileOf(cli, "s"), "in the way"), { recursive: true });
    const { code, requests } = await cli.run("chat hello --session s --sandbox");
    expect(code).not.toBe(0);
    expect(requests).toEqual([]);
  });

  test("with 10,000 turns opens in less than 20 times as long as its lines take to parse", async () => {
    const cli = await createCli();
    await mkdir(folderOf(cli), { recursive: true });
    const turns = Array.from({ length: 10_000 }, (_, at) => ({
      id: `t${at}`,
      parent: at === 0 ? null : `t${at - 1}`,
      time: "2026-11-22T12:00:00.000Z",
      role: at % 2 ? "assistant" : "user",
      content: `Turn ${at} ${"lorem ipsum dolor sit amet ".repeat(10)}`,
    }));
    const header = { format: "gpuctl-chat-session", version: 1 };
    await writeFile(fileOf(cli, "s"), [header, ...turns].map((one) => `${JSON.stringify(one)}\n`).join(""));
    const sessions = createSessions({
      folder: folderOf(cli),
      processes,
      now: Date.now,
      nameFor: () => "unnamed",
    });
    const timeOf = async (work: () => Promise<number>) => {
      const start = process.cpuUsage();
      expect(await work()).toBe(10_000);
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    const parsing: number[] = [];
    const opening: number[] = [];
    for (let round = 0; round < 5; round++) {
      const text = await readFile(fileOf(cli, "s"), "utf8");
      const lines = text.trimEnd().split("\n").slice(1);
      parsing.push(await timeOf(async () => lines.map((line) => JSON.parse(line)).length));
      opening.push(await timeOf(async () => (await sessions.open("s")).messages().length));
    }
    expect(Math.min(...opening) / Math.min(...parsing)).toBeLessThan(20);
  });
});

describe("a session file that another program changes during a chat", () => {
  /** Asks a second question in the session "s". Calls `change` with the session's file before the answer arrives. */
  async function during(change: (path: string) => void, line = "chat more --session s --sandbox") {
    let requests = 0;
    const cli: Cli = await createCli({
      respond: () => {
        requests += 1;
        if (requests === 2) change(fileOf(cli, "s"));
        return undefined;
      },
    });
    await cli.run("chat hello --session s --sandbox");
    return { cli, outcome: await cli.run(line) };
  }
  const contentsIn = async (cli: Cli, name: string) =>
    (await turnsIn(cli, name)).map(({ content }) => content);
  const all = ["hello", "sandbox-echo heard: hello", "more", "sandbox-echo heard: more"];

  test.each<[string, (path: string) => void]>([
    ["removed", (path) => rmSync(path)],
    ["removed with its folder", (path) => rmSync(dirname(path), { recursive: true })],
    ["emptied", (path) => writeFileSync(path, "")],
  ])("is written again, with the whole conversation, if it was %s", async (_how, change) => {
    const { cli, outcome } = await during(change);
    expect(outcome).toMatchObject({ code: 0, out: "sandbox-echo heard: more\n", err: "" });
    expect(await contentsIn(cli, "s")).toEqual(all);
    expect(await readdir(folderOf(cli))).toEqual(["s.jsonl"]);
  });

  test("is not changed if it is no longer a session when the answer arrives", async () => {
    const { cli, outcome } = await during((path) => writeFileSync(path, "my notes"));
    expect(outcome).toMatchObject({ code: 1, out: "sandbox-echo heard: more\n" });
    expect(outcome.err).toContain("s.jsonl: it is no longer a chat session");
    expect(await readFile(fileOf(cli, "s"), "utf8")).toBe("my notes");
  });

  test.each<[string, (path: string) => void]>([
    ["removed", (path) => rmSync(path)],
    ["emptied", (path) => writeFileSync(path, "")],
  ])(
    "does not end the conversation if it was %s, and the conversation can be saved under another name",
    async (_how, change) => {
      const cli = await createCli();
      const run = async () => {
        change(fileOf(cli, "s"));
        return 1;
      };
      const outcome = await cli.run("chat --session s --sandbox", {
        terminal: 80,
        lines: ["hello", "/edit", "more", "/edit", "/save t"],
        programs: { run },
      });
      expect(outcome.err).not.toContain("cannot save");
      expect(outcome.err).toContain("Saved as session t.");
      expect(await contentsIn(cli, "t")).toEqual(all);
    },
  );

  test("is not changed if it is no longer a session when the conversation is saved under another name", async () => {
    const cli = await createCli();
    const run = async () => {
      writeFileSync(fileOf(cli, "s"), "my notes");
      return 1;
    };
    const outcome = await cli.run("chat --session s --sandbox", {
      terminal: 80,
      lines: ["hello", "/edit", "/save t", "more"],
      programs: { run },
    });
    expect(outcome.err).toContain("Saved as session t.");
    expect(await contentsIn(cli, "t")).toEqual(all);
    expect(await readFile(fileOf(cli, "s"), "utf8")).toBe("my notes");
  });
});

test.each<[string, (path: string, text: string) => void]>([
  ["was restored", writeFileSync],
  ["was removed", (path) => rmSync(path)],
  ["is no longer a session", () => {}],
])(
  "saving under another name also saves an answer that could not be stored before, even if the old file %s",
  async (_how, change) => {
    let text = "";
    const cli: Cli = await createCli({
      respond: () => {
        text = readFileSync(fileOf(cli, "s"), "utf8");
        writeFileSync(fileOf(cli, "s"), "my notes");
        return undefined;
      },
    });
    const run = async () => {
      change(fileOf(cli, "s"), text);
      return 1;
    };
    const outcome = await cli.run("chat --session s --sandbox", {
      terminal: 80,
      lines: ["hello", "/edit", "/save t"],
      programs: { run },
    });
    expect(outcome.err).toContain("the answer could not be stored in");
    expect(outcome.err).toContain("Saved as session t.");
    expect((await readdir(folderOf(cli))).filter((name) => name !== "s.jsonl")).toEqual(["t.jsonl"]);
    const lines = (await readFile(fileOf(cli, "t"), "utf8")).trim().split("\n");
    expect(lines.slice(1).map((line) => JSON.parse(line).content)).toEqual([
      "hello",
      "sandbox-echo heard: hello",
    ]);
  },
);

test("a session whose file has a newer version is not saved under another name while an answer is not stored", async () => {
  const cli: Cli = await createCli({
    respond: () => {
      writeFileSync(fileOf(cli, "s"), '{"format":"gpuctl-chat-session","version":2}\n');
      return undefined;
    },
  });
  const { err } = await cli.run("chat --session s --sandbox", { terminal: 80, lines: ["hello", "/save t"] });
  expect(err).toContain("Error: cannot save");
  expect(err).not.toContain("Saved as session t.");
  expect(err).toContain("To continue: `gpuctl chat --session s --sandbox`");
  expect(await readdir(folderOf(cli))).toEqual(["s.jsonl", expect.stringMatching(/^s\.jsonl\.\w+\.answer$/)]);
});

test.each([
  ["has no line break", (text: string) => text.trimEnd()],
  ["starts with a byte order mark", (text: string) => `\ufeff${text}`],
])("a session file whose first line %s can be continued", async (_how, edit) => {
  const cli = await createCli();
  await cli.run("chat hello --session s --sandbox");
  const [header = ""] = (await readFile(fileOf(cli, "s"), "utf8")).split("\n");
  await writeFile(fileOf(cli, "s"), edit(`${header}\n`));
  expect(await cli.run("chat hello --session s --sandbox")).toMatchObject({ code: 0 });
  expect((await turnsIn(cli, "s")).map(({ content }) => content)).toEqual([
    "hello",
    "sandbox-echo heard: hello",
  ]);
});

describe("chat sessions", () => {
  async function withSessions() {
    const cli = await createCli();
    await cli.run("chat 'Tell me about H100 cards' --session cards --sandbox");
    await cli.run("chat 'And a poem' --session poems --sandbox");
    return cli;
  }

  test("list shows the most recently used session first", async () => {
    const { run } = await withSessions();
    const { out } = await run("chat sessions list -o json");
    expect(JSON.parse(out)).toMatchObject([
      { name: "poems", turns: 2, firstMessage: "And a poem", model: "sandbox-echo" },
      { name: "cards", turns: 2 },
    ]);
    expect(await run("chat sessions list -o csv")).toMatchObject({ code: 0 });
  });

  test("search ignores case, and names the session and the turn", async () => {
    const { run } = await withSessions();
    const { out } = await run("chat sessions search h100 -o json");
    expect(JSON.parse(out)).toMatchObject([
      { session: "cards", turn: 1, role: "user", text: "Tell me about H100 cards" },
      { session: "cards", turn: 2, role: "assistant" },
    ]);
    expect(await run("chat sessions search '.*'")).toMatchObject({ code: 0, out: "" });
  });

  test("search prints the ID of a session once, even if several messages match", async () => {
    const { run } = await withSessions();
    expect(await run("chat sessions search h100 -o id")).toMatchObject({ code: 0, out: "cards\n" });
  });

  test("show and export print the turns of a session", async () => {
    const { run } = await withSessions();
    expect((await run("chat sessions show cards")).out).toMatch(
      /^1\. user · .*\nTell me about H100 cards\n\n2\. assistant · .* · sandbox-echo\nsandbox-echo heard/,
    );
    expect((await run("chat sessions export cards")).out).toMatch(/^# cards\n\n## 1\. user\n/);
    const lines = (await run("chat sessions export cards --format jsonl")).out.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ role: "user" }, { role: "assistant" }]);
    expect(await run("chat sessions show nothing")).toMatchObject({ code: 5, out: "" });
  });

  test("remove asks for confirmation, and removes no session if one name is unknown", async () => {
    const cli = await withSessions();
    expect(await cli.run("chat sessions remove cards")).toMatchObject({ code: 2 });
    expect(await cli.run("chat sessions remove cards nothing --yes")).toMatchObject({ code: 5 });
    expect(await namesIn(cli)).toHaveLength(2);
    const questions: string[] = [];
    const prompts = { confirm: async ({ message }: { message: string }) => questions.push(message) > 0 };
    expect(await cli.run("chat sessions remove cards poems", { terminal: 80, prompts })).toMatchObject({
      code: 0,
    });
    expect(questions).toEqual(["Remove 2 sessions: cards, poems?"]);
    expect(await readdir(folderOf(cli))).toEqual([]);
  });
});
