import { describe, expect, test } from "vitest";
import { Flow } from "../../src/batch/engine/flow.ts";

/** A flow that starts with a limit of 8, and its clock. */
function flowOf({ maximum = 16, patience = 600_000 } = {}) {
  const clock = { now: 0 };
  return { clock, flow: new Flow({ maximum, patience, now: () => clock.now }) };
}

const succeed = (flow: Flow, times: number): void => {
  for (let time = 0; time < times; time += 1) flow.succeed();
};

describe("the limit of requests in flight", () => {
  test("rises by one after as many successes as its value, up to the maximum", () => {
    const { flow } = flowOf({ maximum: 10 });
    succeed(flow, 7);
    expect(flow.limit).toBe(8);
    succeed(flow, 1);
    expect(flow.limit).toBe(9);
    succeed(flow, 100);
    expect(flow.limit).toBe(10);
  });

  test("halves after a 429 and after a timeout, but never falls below one", () => {
    const { flow } = flowOf();
    flow.wait(undefined, flow.period);
    expect(flow.limit).toBe(4);
    flow.slowDown(flow.period);
    expect(flow.limit).toBe(2);
    for (let time = 0; time < 5; time += 1) flow.slowDown(flow.period);
    expect(flow.limit).toBe(1);
    succeed(flow, 1);
    expect(flow.limit).toBe(2);
  });

  test("halves only once if several requests in flight are refused", () => {
    const { flow } = flowOf();
    const { period } = flow;
    for (let request = 0; request < 8; request += 1) flow.wait(undefined, period);
    expect(flow.limit).toBe(4);
  });
});

describe("after a 429", () => {
  test("nothing is sent until the longest delay that the service asked for is over", () => {
    const { flow, clock } = flowOf();
    const { period } = flow;
    flow.wait(30_000, period);
    flow.wait(1_000, period);
    clock.now = 10_000;
    expect(flow.delay).toBe(20_000);
    clock.now = 30_000;
    expect(flow.delay).toBe(0);
  });

  test.each([0, 1])(
    "with a Retry-After of %i milliseconds, nothing is sent for 500 milliseconds",
    (asked) => {
      const { flow, clock } = flowOf();
      for (let time = 0; time < 3; time += 1) {
        flow.wait(asked, flow.period);
        expect(flow.delay).toBe(500);
        clock.now += 500;
      }
      expect(flow.delay).toBe(0);
    },
  );

  test("without Retry-After, each wait is twice as long as the one before, up to 30 seconds", () => {
    const { flow, clock } = flowOf();
    const delays = Array.from({ length: 8 }, () => {
      flow.wait(undefined, flow.period);
      const { delay } = flow;
      clock.now += delay;
      return delay;
    });
    expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    flow.succeed();
    flow.wait(undefined, flow.period);
    expect(flow.delay).toBe(500);
  });

  test("the run gives up if the wait would end too long after the last success", () => {
    const { flow, clock } = flowOf({ patience: 60_000 });
    expect(flow.wait(60_000, flow.period)).toBe(true);
    expect(flow.wait(60_001, flow.period)).toBe(false);
    clock.now = 40_000;
    flow.succeed();
    expect(flow.wait(60_000, flow.period)).toBe(true);
  });
});
