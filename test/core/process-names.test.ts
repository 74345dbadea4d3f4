import { describe, expect, test } from "vitest";
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
