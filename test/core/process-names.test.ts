import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { processes, processesOn } from "../../src/system/files.ts";
import { deadProcess, runningProcess } from "../support/leases.ts";
import { needs } from "../support/programs.ts";

describe("the name that identifies a process on macOS", () => {
  needs("ps");

  test("contains the start time of the process, is always the same, and identifies the running process", () => {
    const { self } = processesOn("darwin");
    expect(self).toMatch(/ \d+@\w{3}-\w{3}-\d{1,2}-\d\d:\d\d:\d\d-\d{4}$/);
    const again = processesOn("darwin");
    expect([again.self, again.isRunning(self)]).toEqual([self, true]);
  });

  test("does not identify a later process that has the same process ID", () => {
    const { self, isRunning } = processesOn("darwin");
    expect(isRunning(self.replace(/-\d{4}$/, "-1999"))).toBe(false);
  });

  test("identifies a running process even if the name does not contain the start time", () => {
    const { self, isRunning } = processesOn("darwin");
    expect(isRunning(self.replace(/@.*/, ""))).toBe(true);
  });
});

describe.runIf(process.platform === "linux")("the name that identifies a process on Linux", () => {
  const boot = crypto.randomUUID();
  const place = { host: "node", machine: "a1", namespace: "pid:[4026531836]", boot };
  /** The name that a process would have on this host and machine, in this namespace, after this boot. */
  const named = (name: string, { host, machine, namespace, boot }: typeof place): string =>
    name.replace(/^.* (\d+)@.{36}/, `${host} ${machine} ${namespace} $1@${boot}`);
  const running = named(processes.self, place);
  const ended = named(deadProcess, place);
  const later = { ...place, boot: crypto.randomUUID() };

  test("has the format that other processes parse", () => {
    expect(processesOn("linux", place).self).toBe(running);
  });

  test.each([
    ["the same place", place, "known"],
    ["the machine under a new host name", { ...place, host: "renamed" }, "known"],
    ["another container of the machine", { ...place, namespace: "pid:[1]" }, "unknown"],
    ["another machine with the same host name", { ...later, machine: "b2" }, "unknown"],
    ["a machine without an ID and with the same host name", { ...later, machine: undefined }, "unknown"],
    ["a machine with the same ID and another host name", { ...later, host: "copy" }, "unknown"],
  ])("shows whether gpuctl can check the process from %s", (_, from, expected) => {
    const { isRunning, isHere } = processesOn("linux", from);
    expect([isRunning(running), isRunning(ended)]).toEqual([true, expected === "unknown"]);
    expect([isHere(running), isHere(ended)]).toEqual(Array(2).fill(expected === "known"));
  });

  test("counts as the name of an ended process after the machine has restarted", () => {
    const { isRunning, isHere } = processesOn("linux", later);
    expect([isRunning(running), isHere(running)]).toEqual([false, true]);
  });

  test.each([
    ["without a machine", (name: string) => name.replace(" a1 ", " "), true],
    ["without machine and start time", (name: string) => name.replace(" a1 ", " ").replace(/@.*/, ""), false],
  ])("is still read in the format of an earlier version, %s", (_, old, isKnown) => {
    const { isRunning, isHere } = processesOn("linux", place);
    expect([isRunning(old(running)), isRunning(old(ended))]).toEqual([true, !isKnown]);
    expect(isHere(old(running))).toBe(isKnown);
    for (const machine of ["b2", undefined]) {
      const other = processesOn("linux", { ...later, machine });
      expect([other.isRunning(old(ended)), other.isHere(old(ended))]).toEqual([true, false]);
    }
  });

  test("identifies no process if it is empty", () => {
    expect(processesOn("linux", place).isRunning("")).toBe(false);
  });
});

describe("a process that was killed, but whose parent has not asked for its status", () => {
  needs("ps");

  test.each([process.platform, "darwin"] as const)("does not count as running on %s", async (platform) => {
    // After `exec`, the parent is a program that does not ask for the status of its children.
    const script = "sleep 60 >&2 & echo $!; exec sleep 60 >&2";
    const parent = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void parent.kill());
    const [printed] = await once(parent.stdout, "data");
    const pid = Number(String(printed));
    const { self, isRunning } = processesOn(platform);
    const name = platform === "linux" ? runningProcess(pid) : self.replace(/\d+@.*/, String(pid));
    expect(isRunning(name)).toBe(true);
    process.kill(pid, "SIGKILL");
    await expect.poll(() => isRunning(name)).toBe(false);
  });
});
