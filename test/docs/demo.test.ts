import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { root } from "./readme-shell.ts";

test("the demo does the main job, touches nothing of the user's, and replaces no file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-demo-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const demo = () =>
    execa(process.execPath, ["--import", import.meta.resolve("tsx"), join(root, "scripts/demo.ts")], {
      cwd: folder,
      env: { HOME: folder, GPUCTL_STATE_DIR: join(folder, "mine"), GPUCTL_OUTPUT: "json" },
      stdin: "ignore",
    });

  const { stdout } = await demo();
  expect(stdout).toContain("$ gpuctl rentals create vm");
  expect(stdout).toContain("sandbox-echo heard: Which GPU for a 70B model?");
  expect((await readdir(folder)).sort()).toEqual(["demo-output"]);
  const made = join(folder, "demo-output");
  expect((await readdir(made)).sort()).toEqual(["dawn.png", "lighthouse.png", "ready.wav"]);

  await writeFile(join(made, "ready.wav"), "mine");
  await demo();
  expect(await readFile(join(made, "ready.wav"), "utf8")).toBe("mine");
  expect(await readdir(made)).toContain("ready-2.wav");
}, 90_000);
