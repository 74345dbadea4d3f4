import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { locked, lockedUntil } from "../../src/core/tasks/lock.ts";

async function scratch() {
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-lock-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { folder, path: join(folder, "thing") };
}

/** The processes of this machine, as seen by the process named `self`. All of them run, except one named "killed". */
const processCalled = (self: string) => ({
  self,
  isRunning: (name: string) => name !== "killed",
  isHere: () => true,
});

const options = {
  processes: processCalled("this one"),
  stale: 5_000,
  timeout: 100,
  busy: (lockPath: string) => new Error(`busy: ${lockPath}`),
};

/**
 * Creates the lock of another process, which last renewed the lock `seconds` ago. With a negative number, the lock does
 * not become stale during a test.
 */
async function lockOf(path: string, seconds: number): Promise<void> {
  await mkdir(`${path}.lock`);
  const moment = Date.now() / 1000 - seconds;
  await utimes(`${path}.lock`, moment, moment);
}

test("a process gives up on a lock that is never released", async () => {
  const { path } = await scratch();
  await lockOf(path, -3600);
  const work = async () => {
    throw new Error("the lock is not ours");
  };
  await expect(locked(path, work, options)).rejects.toThrow(`busy: ${path}.lock`);
});

test("a process takes over the lock of a killed process, and leaves no lock behind", async () => {
  const { path, folder } = await scratch();
  await lockOf(path, 3600);
  expect(await locked(path, async () => "done", options)).toBe("done");
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  [4, false],
  [6, true],
])("a lock that is stale after 5 s, renewed %i s ago, is taken over: %s", async (seconds, taken) => {
  const { path } = await scratch();
  await lockOf(path, seconds);
  const outcome = locked(path, async () => "taken over", { ...options, sleep: async () => {} });
  expect(await outcome.catch(() => "busy")).toBe(taken ? "taken over" : "busy");
});

test("processes that wait for the lock of a killed process never hold it at the same time", async () => {
  const { path, folder } = await scratch();
  const killed = { ...options, processes: processCalled("killed") };
  await new Promise<void>((held) => {
    void locked(path, () => new Promise<never>(() => held()), killed);
  });
  const slept: number[] = [];
  const sleep = async (milliseconds: number) => {
    slept.push(milliseconds);
    await new Promise(setImmediate);
  };
  let holders = 0;
  const waiting = Array.from({ length: 5 }, () =>
    locked(
      path,
      async () => {
        holders += 1;
        expect(holders).toBe(1);
        await new Promise(setImmediate);
        holders -= 1;
      },
      { ...options, timeout: 600_000, sleep },
    ),
  );
  await Promise.all(waiting);
  expect(await readdir(folder)).toEqual([]);
});

test("a process does not take over a lock if its holder runs, or if the record of a killed holder is from an earlier lock", async () => {
  const { path } = await scratch();
  await lockOf(path, -3600);
  for (const owner of [
    { name: "another", born: (await stat(`${path}.lock`)).birthtimeMs },
    { name: "killed", born: 1 },
  ]) {
    await writeFile(`${path}.lock-owner`, JSON.stringify(owner));
    await expect(locked(path, async () => "taken", options)).rejects.toThrow(`busy: ${path}.lock`);
  }
});

test("holders of a lock work one at a time, and each sees the work of the previous holder", async () => {
  const { path } = await scratch();
  let inside = 0;
  let total = 0;
  const work = async () => {
    inside += 1;
    expect(inside).toBe(1);
    const before = total;
    await new Promise((resolve) => setImmediate(resolve));
    total = before + 1;
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 8 }, () => locked(path, work, { ...options, timeout: 60_000 })));
  expect(total).toBe(8);
});

test("a holder that lost the lock starts again before its last step", async () => {
  const { path } = await scratch();
  const steps: string[] = [];
  await lockedUntil(
    path,
    async (assertHeld) => {
      steps.push("check");
      if (steps.length === 1) {
        // Makes the lock look as if the process had been suspended and another process had taken over the lock.
        await rm(`${path}.lock`, { recursive: true });
        await lockedUntil(path, async (assertOther) => assertOther(), options);
      }
      await assertHeld();
      steps.push("last step");
    },
    options,
  );
  expect(steps).toEqual(["check", "check", "last step"]);
});

test("a process that lost its lock does not release the lock of the process that took it over", async () => {
  const { path, folder } = await scratch();
  const other = JSON.stringify({ name: "another one" });
  await locked(
    path,
    async () => {
      // Makes the lock look as if this process had been suspended and another process had taken over the lock.
      await rm(`${path}.lock`, { recursive: true });
      await lockOf(path, 0);
      await writeFile(`${path}.lock-owner`, other);
    },
    options,
  );
  expect(await readdir(folder)).toEqual(["thing.lock", "thing.lock-owner"]);
  expect(await readFile(`${path}.lock-owner`, "utf8")).toBe(other);
});
