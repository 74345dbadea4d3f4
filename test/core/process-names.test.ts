import { afterEach, describe, expect, test, vi } from "vitest";
import type { Processes } from "../../src/core/tasks/lock.ts";
import { needs } from "../support/programs.ts";

const { platform } = process;
const setPlatform = (value: string) => Object.defineProperty(process, "platform", { value });

/** The processes as they are named on macOS, where `ps` says when a process started. */
async function processesOnMac(): Promise<Processes> {
  setPlatform("darwin");
  vi.resetModules();
  return (await import("../../src/system/files.ts")).processes;
}

describe("the name of a process on macOS", () => {
  needs("ps");

  afterEach(() => {
    setPlatform(platform);
  });

  test("says when the process started, which is the same when another process asks", async () => {
    const { self } = await processesOnMac();
    expect(self).toMatch(/ \d+@\w{3}-\w{3}-\d{1,2}-\d\d:\d\d:\d\d-\d{4}$/);
    const again = await processesOnMac();
    expect([again.self, again.isRunning(self)]).toEqual([self, true]);
  });

  test("does not stand for a later process with the same ID", async () => {
    const { self, isRunning } = await processesOnMac();
    expect(isRunning(self.replace(/-\d{4}$/, "-1999"))).toBe(false);
  });

  test("stands for a running process if its start is not known", async () => {
    const { self, isRunning } = await processesOnMac();
    expect(isRunning(self.replace(/@.*/, ""))).toBe(true);
  });
});
