import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import { createCli } from "../support/cli.ts";

describe.skipIf(process.platform === "win32")("a pipe in place of an input file", () => {
  const withPipe = async () => {
    const cli = await createCli();
    const pipe = join(cli.folder, "pipe");
    await execa("mkfifo", [pipe]);
    return { ...cli, pipe };
  };

  test("is read to its end", async () => {
    const { run, pipe } = await withPipe();
    const running = run("chat Hi --attach pipe --sandbox");
    await writeFile(pipe, "from a pipe");
    expect(await running).toMatchObject({ code: exit.done, out: expect.stringContaining("from a pipe") });
  });

  test.each([
    "chat Hi --attach pipe",
    "image cat --image pipe",
    "tts --file pipe",
    "api call POST /v2/x --input pipe",
  ])("does not prevent Ctrl-C from ending gpuctl: %s", async (line) => {
    const { run, pipe } = await withPipe();
    const interruption = new AbortController();
    const running = run(`${line} --sandbox`, { signal: interruption.signal });
    // Opening the pipe for writing waits until gpuctl has opened the pipe for reading.
    const writer = await open(pipe, "w");
    try {
      interruption.abort(new Error("interrupted"));
      expect(await running).toMatchObject({ code: exit.interrupted, out: "", requests: [] });
    } finally {
      await writer.close();
    }
  });
});

test.skipIf(process.platform === "win32")(
  "a device without an end, such as the kernel's log, is an error instead of an endless wait",
  async () => {
    const { run } = await createCli();
    const { code, err, requests } = await run("chat Hi --attach /dev/kmsg --sandbox");
    expect({ code, requests }).toEqual({ code: exit.usage, requests: [] });
    expect(err).toContain("Error: --attach /dev/kmsg: ");
  },
);
