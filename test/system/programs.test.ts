import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { Interrupted } from "../../src/core/errors.ts";
import { runFile } from "../../src/sandbox/machines/programs.ts";
import { nodePrograms } from "../../src/system/programs.ts";
import type { Programs } from "../../src/system/types.ts";

const programs = nodePrograms({
  signal: new AbortController().signal,
  leaveToChild: (_, running) => running,
});

beforeEach(() => {
  vi.stubEnv("GPUCTL_API_KEY", "sk-secret-0123456789");
  vi.stubEnv("GPUCTL_TEST_OTHER", "other value");
});
afterEach(() => vi.unstubAllEnvs());

/** The arguments with which Node.js writes its environment, as JSON, to a file, and a function that reads the file. */
async function writer() {
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-programs-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "environment.json");
  const temporary = `${file}.new`;
  const script = `
    const { writeFileSync, renameSync } = require("node:fs");
    writeFileSync(${JSON.stringify(temporary)}, JSON.stringify(process.env));
    renameSync(${JSON.stringify(temporary)}, ${JSON.stringify(file)});`;
  return {
    args: ["-e", script],
    environment: (): Promise<Readonly<Record<string, string>>> =>
      vi.waitFor(async () => JSON.parse(await readFile(file, "utf8")), { timeout: 60_000 }),
  };
}

const node = process.execPath;
const added = { GPUCTL_TEST_ADDED: "added value" };
const ignore = () => {};

test.each<[string, (programs: Programs, args: readonly string[]) => Promise<unknown>]>([
  ["run", ({ run }, args) => run(node, args)],
  ["runQuietly", ({ runQuietly }, args) => runQuietly(node, args, added)],
  ["capture", ({ capture }, args) => capture(node, args, { timeout: 60_000 })],
  ["feed", ({ feed }, args) => feed(node, args, "text")],
  ["start", ({ start }, args) => start(node, args, added)],
  [
    "stream",
    ({ stream }, args) => {
      const { signal } = new AbortController();
      return stream(node, args, { cwd: tmpdir(), onStdout: ignore, onStderr: ignore, signal });
    },
  ],
])("a program that %s starts gets all of the environment except the API key", async (name, start) => {
  const { args, environment } = await writer();
  await start(programs, args);
  const seen = await environment();
  expect(seen).not.toHaveProperty("GPUCTL_API_KEY");
  expect(Object.values(seen)).not.toContain("sk-secret-0123456789");
  expect(seen).toMatchObject({ GPUCTL_TEST_OTHER: "other value", PATH: process.env.PATH });
  if (name === "runQuietly" || name === "start") expect(seen).toMatchObject(added);
});

test("a program that the sandbox starts does not get the API key", async () => {
  const { stdout } = await runFile(node, [
    "-p",
    "[process.env.GPUCTL_API_KEY, process.env.GPUCTL_TEST_OTHER]",
  ]);
  expect(stdout).toBe("[ undefined, 'other value' ]\n");
});

test("a command line of the user gets the API key, because it may call gpuctl", async () => {
  const printed = await programs.output(`${JSON.stringify(node)} -p process.env.GPUCTL_API_KEY`, {
    timeout: 60_000,
  });
  expect(printed).toBe("sk-secret-0123456789");
  const check = `${JSON.stringify(node)} -e "process.exit(process.env.GPUCTL_API_KEY === 'sk-secret-0123456789' && process.env.GPUCTL_TEST_ADDED ? 0 : 1)"`;
  await programs.shell(check, { input: "", env: added, timeout: 60_000 });
});

test
  .skipIf(process.platform === "win32")
  .each<[string, (programs: Pick<Programs, "output" | "runQuietly">, line: string) => Promise<unknown>]>([
    ["a command line that prints a key", ({ output }, line) => output(line, { timeout: 60_000 })],
    ["a program that runs quietly", ({ runQuietly }, line) => runQuietly("sh", ["-c", line], {})],
  ])("an interruption ends %s, although a program that it started goes on", async (_kind, start) => {
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-programs-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const started = join(folder, "started");
  const interruption = new AbortController();
  const interruptible = nodePrograms({
    signal: interruption.signal,
    leaveToChild: (_, running) => running,
  });
  const running = start(interruptible, `sleep 300 & echo $! > '${started}'; wait; echo key`);
  const ended = expect(running).rejects.toThrow("interrupted");
  const pidOf = async () => {
    const text = await readFile(started, "utf8");
    expect(text).toMatch(/^\d+\n$/);
    return Number(text);
  };
  const pid = await vi.waitFor(pidOf, { timeout: 20_000 });
  onTestFinished(() => void process.kill(pid));
  interruption.abort(new Interrupted());
  await ended;
});

describe.skipIf(process.platform === "win32")("a program that leaves another one behind", () => {
  // The process that is left behind keeps the pipes of the program open. The program prints the ID of that process.
  const leaving = "sleep 300 & echo $!; exec sleep 300";
  const ended = (pid: string) => onTestFinished(() => void process.kill(Number(pid)));

  test("does not keep gpuctl waiting after it was stopped", async () => {
    const controller = new AbortController();
    const status = await programs.stream("sh", ["-c", leaving], {
      cwd: tmpdir(),
      onStdout: (bytes) => {
        ended(Buffer.from(bytes).toString());
        controller.abort();
      },
      onStderr: ignore,
      signal: controller.signal,
    });
    expect(status).toBe(143);
  });

  test("does not keep gpuctl waiting after its time limit", async () => {
    const folder = await mkdtemp(join(tmpdir(), "gpuctl-programs-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, "pid");
    const line = `sleep 300 & echo $! > ${file}; exec sleep 300`;
    await expect(programs.output(line, { timeout: 1_000 })).rejects.toThrow("timed out after 1 s");
    ended(await readFile(file, "utf8"));
  });
});
