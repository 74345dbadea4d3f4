import { mkdir, mkdtemp, readdir, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { locked, lockedUntil } from "../../src/core/lock.ts";

async function scratch() {
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-lock-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { folder, path: join(folder, "thing") };
}

const options = { stale: 5_000, timeout: 100, busy: (lockPath: string) => new Error(`busy: ${lockPath}`) };

/** Puts a lock there as another process does; `seconds` ago it showed a sign of life. */
async function lockOf(path: string, seconds: number): Promise<void> {
  await mkdir(`${path}.lock`);
  const moment = Date.now() / 1000 - seconds;
  await utimes(`${path}.lock`, moment, moment);
}

test("gives up on a lock that is never released", async () => {
  const { path } = await scratch();
  await lockOf(path, -3600);
  const work = async () => {
    throw new Error("the lock is not ours");
  };
  await expect(locked(path, work, options)).rejects.toThrow(`busy: ${path}.lock`);
});

test("takes over the lock of a killed process, and leaves none behind", async () => {
  const { path, folder } = await scratch();
  await lockOf(path, 3600);
  expect(await locked(path, async () => "done", options)).toBe("done");
  expect(await readdir(folder)).toEqual([]);
});

test("one at a time, and each sees the work of the one before", async () => {
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
        // The process was suspended, and another one took over.
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
