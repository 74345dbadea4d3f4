import { expect, test, vi } from "vitest";
import { shownOutput } from "../../src/jobs/shown-output.ts";
import { endTimeLimits } from "../support/time-limits.ts";

const large = new Uint8Array(17 * 1024 * 1024);

/** Output that is never read. */
function createUnread() {
  const ending = new AbortController();
  const said: string[] = [];
  const passed: string[] = [];
  const shown = shownOutput(
    {
      output: (stream) => {
        passed.push(stream);
        return new Promise(() => {});
      },
      endOutput: async () => {},
      say: (line) => void said.push(line),
    },
    { ending: ending.signal, log: "/log" },
  );
  return { ending, said, passed, shown };
}

test("a small output does not wait for its reader", async () => {
  const { shown, passed, said } = createUnread();
  await shown.output("stdout", Buffer.from("a"));
  await shown.output("stderr", Buffer.from("b"));
  expect([passed, said]).toEqual([["stdout", "stderr"], []]);
});

test("output that is not read is dropped once the job has to end", async () => {
  const endLimits = endTimeLimits();
  const { shown, passed, said, ending } = createUnread();
  const waiting = shown.output("stdout", large);
  ending.abort();
  endLimits();
  await waiting;
  await shown.output("stdout", large);
  await shown.end();
  expect(passed).toEqual(["stdout"]);
  expect(said).toEqual(["Warning: the output is not read, so the rest of it is not shown. It is in /log."]);
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
