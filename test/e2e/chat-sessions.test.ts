import { copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { homeWithServer } from "../support/chat-server.ts";
import { deadProcess } from "../support/leases.ts";
import { firstChunk, type Home, launcher } from "../support/process.ts";

const folderOf = (home: Home) => join(home.folder, "state", "chat-sessions");

async function turnsIn(home: Home, name: string) {
  const { out } = await home.run(`chat sessions show ${name} -o json`);
  return JSON.parse(out) as { id: string; parent: string | null; role: string; content: string }[];
}

describe.each([
  { kind: "a question with --session", flags: "--session s", name: "s" },
  { kind: "a question without --session", flags: "", name: "last" },
])("a process killed while $kind is answered", ({ flags, name }) => {
  test("leaves the question, and the partial answer marked as incomplete", async () => {
    const { home, server } = await homeWithServer();
    const child = home.start(`chat hello ${flags} -m m`);
    const request = await server.next();
    request.say("Half of");
    await firstChunk(child.stdout);
    child.kill("SIGKILL");
    await child;
    expect(await turnsIn(home, name)).toMatchObject([
      { role: "user", content: "hello" },
      { role: "assistant", content: "Half of", incomplete: "gpuctl ended before the answer was stored" },
    ]);
    const going = home.run(`chat 'Go on' -c -m m`);
    const next = await server.next();
    expect(next.count).toBe(3);
    next.say("the rest");
    next.finish();
    expect(await going).toMatchObject({
      code: 0,
      err: expect.stringContaining("gpuctl tells the model that the answer was cut off"),
    });
    expect((await readdir(folderOf(home))).filter((file) => !file.endsWith(".jsonl"))).toEqual([]);
  });
});

test("two processes that use one session at the same time write whole lines, and each answer has its question as its parent", async () => {
  const { home, server } = await homeWithServer();
  const rounds = 3;
  const talk = async (who: string) => {
    for (let round = 0; round < rounds; round++) {
      const { code, err } = await home.run(`chat '${who} ${round}' --session s -m m`);
      expect({ code, err: err.replace(/^The last answer.*\n/, "") }).toEqual({ code: 0, err: "" });
    }
  };
  const answering = (async () => {
    for (let count = 0; count < 2 * rounds; count++) {
      const request = await server.next();
      request.say(`answer to ${request.message}`);
      request.finish();
    }
  })();
  await Promise.all([talk("a"), talk("b"), answering]);
  const turns = await turnsIn(home, "s");
  expect(turns).toHaveLength(4 * rounds);
  const byId = new Map(turns.map((turn) => [turn.id, turn]));
  for (const { role, content, parent } of turns) {
    if (role === "assistant") expect(content).toBe(`answer to ${byId.get(parent ?? "")?.content}`);
  }
  const lines = (await readFile(join(folderOf(home), "s.jsonl"), "utf8")).trim().split("\n");
  for (const line of lines) JSON.parse(line);
});

describe("a full disk", () => {
  const fullDisk = fileURLToPath(new URL("full-disk.cjs", import.meta.url));

  /** Runs a command line. No file of a session can become larger than `bytes`. */
  const limited = (home: Home, bytes: number, line: string) =>
    home.run(line, {
      command: [process.execPath, "--require", fullDisk, launcher],
      env: { FULL_DISK_BYTES: String(bytes) },
    });

  test("is reported; the answer is printed, and what was stored before is kept", async () => {
    const { home, server } = await homeWithServer();
    const first = home.run("chat hello --session s -m m");
    const one = await server.next();
    one.say("hi");
    one.finish();
    await first;
    const path = join(folderOf(home), "s.jsonl");
    const before = await readFile(path, "utf8");
    const going = limited(home, 2_000, "chat more --session s -m m");
    const next = await server.next();
    const answer = "x".repeat(3_000);
    next.say(answer);
    next.finish();
    const { code, out, err } = await going;
    expect({ code, out }).toEqual({ code: 1, out: `${answer}\n` });
    expect(err).toMatch(/the answer could not be stored in .*s\.jsonl: no space left on the disk/);
    const after = await readFile(path, "utf8");
    expect(after.startsWith(before)).toBe(true);
    expect(after.endsWith("\n")).toBe(true);
    expect((await turnsIn(home, "s")).map(({ content }) => content)).toEqual(["hello", "hi", "more"]);
  });

  test("stops a question before it is sent", async () => {
    const { home } = await homeWithServer();
    const { code, out, err } = await limited(home, 10, "chat hello --session s -m m");
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/cannot save .*s\.jsonl: no space left on the disk/);
    expect(await readdir(folderOf(home))).toEqual([]);
  });

  test("does not prevent the removal of a session", async () => {
    const { home, server } = await homeWithServer();
    const first = home.run("chat hello --session s -m m");
    (await server.next()).finish();
    await first;
    expect(await limited(home, 10, "chat sessions remove s --yes")).toMatchObject({ code: 0, err: "" });
    expect(await readdir(folderOf(home))).toEqual([]);
  });

  test("does not prevent a list of the sessions, and the answer of a killed process is kept", async () => {
    const { home, server } = await homeWithServer();
    const first = home.run("chat hello --session s -m m");
    (await server.next()).finish();
    await first;
    const question = join(folderOf(home), "last.jsonl.abc.question");
    await copyFile(join(folderOf(home), "s.jsonl"), question);
    const time = "2026-11-22T12:00:00.000Z";
    const turn = { id: "def", parent: null, time, role: "assistant" };
    await writeFile(
      `${question}.def.answer`,
      `${JSON.stringify({ process: deadProcess, turn })}\n"Half of"\n`,
    );
    expect(await limited(home, 10, "chat sessions list -o id")).toMatchObject({
      code: 0,
      out: "s\n",
      err: "",
    });
    expect((await turnsIn(home, "last")).at(-1)?.content).toBe("Half of");
  });
});
