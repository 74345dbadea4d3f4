import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { processesOn } from "../../src/system/files.ts";
import { needs } from "../support/programs.ts";

describe("the name of a process on macOS", () => {
  needs("ps");

  test("says when the process started, which is the same when another process asks", () => {
    const { self } = processesOn("darwin");
    expect(self).toMatch(/ \d+@\w{3}-\w{3}-\d{1,2}-\d\d:\d\d:\d\d-\d{4}$/);
    const again = processesOn("darwin");
    expect([again.self, again.isRunning(self)]).toEqual([self, true]);
  });

  test("does not stand for a later process with the same ID", () => {
    const { self, isRunning } = processesOn("darwin");
    expect(isRunning(self.replace(/-\d{4}$/, "-1999"))).toBe(false);
  });

  test("stands for a running process if its start is not known", () => {
    const { self, isRunning } = processesOn("darwin");
    expect(isRunning(self.replace(/@.*/, ""))).toBe(true);
  });
});

describe("a process that was killed, but whose parent has not asked for its status", () => {
  needs("ps");

  test.each([process.platform, "darwin"] as const)("is not running on %s", async (platform) => {
    // After `exec`, the parent is a program that does not ask for the status of its children.
    const script = "sleep 60 >&2 & echo $!; exec sleep 60 >&2";
    const parent = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void parent.kill());
    const [printed] = await once(parent.stdout, "data");
    const pid = Number(String(printed));
    const { self, isRunning } = processesOn(platform);
    const name = self.replace(/\d+@.*/, String(pid));
    expect(isRunning(name)).toBe(true);
    process.kill(pid, "SIGKILL");
    await expect.poll(() => isRunning(name)).toBe(false);
  });
});
