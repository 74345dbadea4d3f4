import { expect, test, vi } from "vitest";
import type { Stream } from "../../src/jobs/journal.ts";
import { shownOutput } from "../../src/jobs/shown-output.ts";
import { endTimeLimits } from "../support/time-limits.ts";

const large = new Uint8Array(17 * 1024 * 1024);

const mebibyte = new Uint8Array(1024 * 1024);

/** Output to a slow reader: a piece is read when the promise of `write` resolves. By default, it never resolves. */
function createUnread({
  write = () => new Promise<void>(() => {}),
  isLogged = true,
}: {
  readonly write?: (stream: Stream) => Promise<void>;
  readonly isLogged?: boolean;
} = {}) {
  const ending = new AbortController();
  const said: string[] = [];
  const passed: string[] = [];
  const shown = shownOutput(
    {
      output: (stream) => {
        passed.push(stream);
        return write(stream);
      },
      endOutput: async () => {},
      say: (line) => void said.push(line),
    },
    { ending: ending.signal, log: "/log", isLogged: () => isLogged },
  );
  return { ending, said, passed, shown };
}

test("a small output does not wait for its reader", async () => {
  const { shown, passed, said } = createUnread();
  await shown.output("stdout", Buffer.from("a"));
  await shown.output("stderr", Buffer.from("b"));
  expect([passed, said]).toEqual([["stdout", "stderr"], []]);
});

test("output that is not read is dropped a short time after the job has to end", async () => {
  const endLimits = endTimeLimits();
  const { shown, passed, said, ending } = createUnread();
  const waiting = shown.output("stdout", large);
  ending.abort();
  endLimits();
  await waiting;
  await shown.output("stdout", large);
  await shown.end();
  expect(passed).toEqual(["stdout"]);
  expect(said).toEqual([
    "Warning: the output is not read, so gpuctl stops showing it. All output is in /log.",
  ]);
});

test("output that is not read is dropped after ten minutes if too much of it is waiting", async () => {
  const endLimits = endTimeLimits();
  const { shown, said } = createUnread();
  const waiting = shown.output("stdout", large);
  expect(vi.mocked(AbortSignal.timeout).mock.calls).toEqual([[600_000]]);
  endLimits();
  await waiting;
  expect(said).toHaveLength(1);
});

test("output that is dropped is only partly in the log if the disk was full", async () => {
  const endLimits = endTimeLimits();
  const { shown, said } = createUnread({ isLogged: false });
  const waiting = shown.output("stdout", large);
  endLimits();
  await waiting;
  expect(said[0]).toContain("A part of the output is in /log.");
});

test("a slow reader has ten minutes for each piece of the output, not for all of it", async () => {
  const endLimits = endTimeLimits();
  const reads: (() => void)[] = [];
  const { shown, said, ending } = createUnread({
    write: () => new Promise<void>((resolve) => void reads.push(resolve)),
  });
  for (let count = 0; count < 16; count += 1) await shown.output("stdout", mebibyte);
  const last = shown.output("stdout", mebibyte);
  reads.shift()?.();
  await last;
  endLimits();
  expect(said).toEqual([]);
  ending.abort();
});

test("the end waits for stdout even if the last output went to stderr", async () => {
  let read = () => {};
  const { shown } = createUnread({
    write: (stream) =>
      stream === "stderr" ? Promise.resolve() : new Promise<void>((resolve) => (read = resolve)),
  });
  await shown.output("stdout", mebibyte);
  await shown.output("stderr", mebibyte);
  let hasEnded = false;
  const end = shown.end().then(() => (hasEnded = true));
  await new Promise(setImmediate);
  expect(hasEnded).toBe(false);
  read();
  await end;
});

test("a write that fails does not end the job", async () => {
  const { shown, said, passed } = createUnread({ write: () => Promise.reject(new Error("EIO")) });
  await shown.output("stdout", large);
  await shown.output("stdout", mebibyte);
  await shown.end();
  expect([passed, said]).toEqual([["stdout", "stdout"], []]);
});
