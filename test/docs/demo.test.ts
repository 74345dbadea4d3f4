import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { repository, runProgram } from "../support/process.ts";
import { thorough } from "../support/thorough.ts";

// This runs only in a thorough run, because the demo is slow: it starts a process for each command.
test.runIf(thorough)("the demo works, leaves the user's state unchanged, and replaces no file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-demo-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const made = join(folder, "demo-output");
  await mkdir(made);
  await writeFile(join(made, "ready.wav"), "mine");
  const { code, out, err } = await runProgram(
    process.execPath,
    ["--import", import.meta.resolve("tsx"), join(repository, "scripts/demo.ts")],
    {
      cwd: folder,
      env: {
        PATH: process.env.PATH ?? "",
        HOME: folder,
        GPUCTL_STATE_DIR: join(folder, "mine"),
        GPUCTL_OUTPUT: "json",
      },
    },
  );
  expect(code, err).toBe(0);
  expect(out).toContain("$ gpuctl rentals create vm");
  expect(out).toContain("sandbox-echo heard: Which GPU for a 70B model?");
  expect((await readdir(folder)).sort()).toEqual(["demo-output"]);
  expect((await readdir(made)).sort()).toEqual(["dawn.png", "lighthouse.png", "ready-2.wav", "ready.wav"]);
  expect(await readFile(join(made, "ready.wav"), "utf8")).toBe("mine");
});
