import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { sideBySide } from "../../src/command-kit/side-by-side.ts";
import { Interrupted, NotTried } from "../../src/core/errors.ts";
import { ServiceError } from "../../src/core/service-errors.ts";

const busy = (retryAfter?: number) =>
  new ServiceError(
    { status: 429, code: "BUSY", message: "busy", issues: [], retryAfter },
    { method: "POST", url: "https://api.example.com" },
  );

/** Work on items, and a sleep. The test decides when each of them ends. */
function controlled() {
  const started: string[] = [];
  const ends = new Map<string, { readonly succeed: () => void; readonly fail: (error: Error) => void }>();
  const slept: number[] = [];
  const sleeps: (AbortSignal | undefined)[] = [];
  let [time, wake] = [0, () => {}];
  return {
    started,
    slept,
    /** The signals that end the sleeps. */
    sleeps,
    /** Resolves when the first items have started, after the queue's library was loaded. */
    begun: async () => {
      while (started.length === 0) await setImmediate();
    },
    work: (item: string) => {
      started.push(item);
      return new Promise<string>((resolve, reject) => {
        ends.set(item, { succeed: () => resolve(item.toUpperCase()), fail: reject });
      });
    },
    options: {
      maxWaits: 8,
      nameOf: String,
      failureOfAll: () => undefined,
      interrupted: new AbortController().signal,
      now: () => time,
      sleep: (milliseconds: number, signal?: AbortSignal) => {
        slept.push(milliseconds);
        sleeps.push(signal);
        return new Promise<void>((resolve) => {
          wake = () => {
            time += milliseconds;
            resolve();
          };
        });
      },
    },
    succeed: async (item: string) => {
      ends.get(item)?.succeed();
      await setImmediate();
    },
    fail: async (item: string, error: Error) => {
      ends.get(item)?.fail(error);
      await setImmediate();
    },
    wake: async () => {
      wake();
      await setImmediate();
    },
  };
}

test("after a 429, nothing is started until the wait is over, and then fewer items at a time", async () => {
  const { started, slept, work, options, begun, succeed, fail, wake } = controlled();
  const items = ["a", "b", "c", "d", "e"];
  const outcomes = sideBySide(items, work, { ...options, concurrency: 2 });
  await begun();
  expect(started).toEqual(["a", "b"]);
  await fail("a", busy(1000));
  await succeed("b");
  expect({ started, slept }).toEqual({ started: ["a", "b"], slept: [1000] });
  await wake();
  expect(started).toEqual(["a", "b", "a"]);
  for (const item of ["a", "c", "d", "e"]) await succeed(item);
  expect(started).toEqual(["a", "b", "a", "c", "d", "e"]);
  expect(await outcomes).toEqual(items.map((item) => ({ value: item.toUpperCase() })));
});

test("after several 429s, all waits together are only as long as the longest delay", async () => {
  const { started, slept, work, options, begun, succeed, fail, wake } = controlled();
  const outcomes = sideBySide(["a", "b", "c"], work, { ...options, concurrency: 3 });
  await begun();
  await fail("a", busy(1000));
  await fail("b", busy(3000));
  await fail("c", busy());
  await wake();
  expect({ started: started.length, slept }).toEqual({ started: 3, slept: [1000, 2000] });
  await wake();
  for (const item of ["a", "b", "c"]) await succeed(item);
  expect(await outcomes).toHaveLength(3);
  expect(slept).toEqual([1000, 2000]);
});

test("after a 429, the number of items at a time grows again once enough items have succeeded", async () => {
  const { started, work, options, begun, succeed, fail, wake } = controlled();
  const items = Array.from({ length: 12 }, (_, index) => `item ${index}`);
  const outcomes = sideBySide(items, work, { ...options, concurrency: 2 });
  await begun();
  await fail("item 0", busy(1));
  await wake();
  await succeed("item 1");
  for (const index of [0, 2, 3, 4, 5, 6]) await succeed(`item ${index}`);
  expect(started).toHaveLength(9);
  await succeed("item 7");
  expect(started).toHaveLength(11);
  for (const index of [8, 9, 10, 11]) await succeed(`item ${index}`);
  expect(await outcomes).toHaveLength(12);
});

test("after an interruption, or a failure that affects all items, no further item is started", async () => {
  const { started, work, options, begun, succeed } = controlled();
  const controller = new AbortController();
  const interrupted = sideBySide(["a", "b"], work, {
    ...options,
    interrupted: controller.signal,
    concurrency: 1,
  });
  await begun();
  controller.abort();
  await succeed("a");
  expect(await interrupted).toEqual([{ value: "A" }, { error: expect.any(Interrupted) }]);

  const failureOfAll = () => new Error("no");
  const failed = sideBySide(["c", "d"], work, { ...options, failureOfAll, concurrency: 1 });
  while (started.length === 1) await setImmediate();
  await succeed("c");
  expect(await failed).toEqual([{ value: "C" }, { error: expect.any(NotTried) }]);
  expect(started).toEqual(["a", "c"]);
});

test("a 429 that arrives after a wait, for an item that was started before the wait, causes a wait that `maxWaits` does not count", async () => {
  const { slept, work, options, begun, succeed, fail, wake } = controlled();
  const outcomes = sideBySide(["a", "b"], work, { ...options, maxWaits: 1, concurrency: 2 });
  await begun();
  await fail("a", busy(1000));
  await wake();
  await fail("b", busy(2000));
  await wake();
  await succeed("a");
  await succeed("b");
  expect(await outcomes).toEqual([{ value: "A" }, { value: "B" }]);
  expect(slept).toEqual([1000, 2000]);
});

test("a wait ends when a failure affects all items, so that it does not keep the process running", async () => {
  const { sleeps, work, options, begun, fail } = controlled();
  const failureOfAll = (outcome: object) => ("error" in outcome ? outcome.error : undefined);
  const outcomes = sideBySide(["a", "b"], work, { ...options, failureOfAll, concurrency: 2 });
  await begun();
  await fail("a", busy(60_000));
  expect(sleeps.map((signal) => signal?.aborted)).toEqual([false]);
  await fail("b", new Error("no credit"));
  expect(await outcomes).toEqual([{ error: expect.any(NotTried) }, { error: new Error("no credit") }]);
  expect(sleeps.map((signal) => signal?.aborted)).toEqual([true]);
});
