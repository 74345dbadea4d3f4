import { afterEach, describe, expect, test, vi } from "vitest";
import { interruption, interruptionSignals } from "../../src/system/interruption.ts";

type Signal = (typeof interruptionSignals)[number];

const signals = [...interruptionSignals, "SIGXFSZ"] as const;

/** Runs work without the listeners of the test runner and of other tests, and removes the listeners that it adds. */
async function withOwnListeners(work: () => Promise<void>): Promise<void> {
  const others = ["exit", ...signals].map((event) => [event, process.rawListeners(event)] as const);
  for (const [event] of others) process.removeAllListeners(event);
  try {
    await work();
  } finally {
    for (const [event, listeners] of others) {
      process.removeAllListeners(event);
      for (const listener of listeners) process.on(event, listener as () => void);
    }
  }
}

afterEach(() => {
  vi.restoreAllMocks();
});

/**
 * Receives signals `apart` milliseconds apart during interruptible work. Returns what the signals interrupted, and how
 * often they would have ended the process.
 */
async function interruptedBy(
  received: readonly Signal[],
  { apart = 0, anySignal = true } = {},
): Promise<{ work: boolean; program: boolean; exits: number }> {
  let now = 0;
  let exits = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  vi.spyOn(process, "exit").mockImplementation(() => {
    throw new Error("exit");
  });
  let outcome = { work: false, program: false };
  await withOwnListeners(async () => {
    const { interruptible, signal: program } = interruption();
    const receive = async (stopped: AbortSignal) => {
      for (const signal of received) {
        try {
          process.emit(signal, signal);
        } catch {
          exits += 1;
        }
        now += apart;
      }
      outcome = { work: stopped.aborted, program: program.aborted };
    };
    await interruptible(receive, { anySignal });
  });
  return { ...outcome, exits };
}

describe("a job", () => {
  test.each<readonly [string, readonly Signal[]]>([
    ["the terminal is closed, and its shell passes the signal on and ends", ["SIGHUP", "SIGHUP", "SIGHUP"]],
    ["a user logs out", ["SIGTERM", "SIGHUP"]],
    ["the terminal is closed by a logout", ["SIGHUP", "SIGTERM", "SIGHUP"]],
    ["the terminal is closed after Ctrl-C", ["SIGINT", "SIGHUP"]],
  ])("is stopped once if %s", async (_, received) => {
    const stopped = { work: true, program: false, exits: 0 };
    expect(await interruptedBy(received, { apart: 1_000 })).toEqual(stopped);
  });

  test.each<readonly [string, readonly Signal[]]>([
    ["a second Ctrl-C", ["SIGINT", "SIGINT"]],
    ["a second SIGTERM", ["SIGTERM", "SIGTERM"]],
    ["a second SIGTERM after the terminal was closed", ["SIGHUP", "SIGTERM", "SIGTERM"]],
    ["SIGTERM after Ctrl-C", ["SIGINT", "SIGTERM"]],
  ])("is abandoned at %s, and one more signal ends the process at once", async (_, received) => {
    expect(await interruptedBy(received, { apart: 150 })).toEqual({ work: true, program: true, exits: 0 });
    const third = received.at(-1) ?? "SIGINT";
    expect(await interruptedBy([...received, third], { apart: 150 })).toMatchObject({ exits: 1 });
  });

  test("is stopped once by a Ctrl-C that arrives twice because npx passes it on, but abandoned if Ctrl-C is held", async () => {
    expect(await interruptedBy(["SIGINT", "SIGINT"], { apart: 10 })).toMatchObject({ program: false });
    const held = Array.from({ length: 4 }, () => "SIGINT" as const);
    expect(await interruptedBy(held, { apart: 40 }), "Ctrl-C is held").toMatchObject({ program: true });
  });

  test("is stopped once by a SIGTERM that arrives twice because timeout also sends it to the process group", async () => {
    const stopped = { work: true, program: false, exits: 0 };
    expect(await interruptedBy(["SIGTERM", "SIGTERM"], { apart: 10 })).toEqual(stopped);
  });
});

test("closing the terminal ends a conversation, even after Ctrl-C", async () => {
  expect(await interruptedBy(["SIGINT", "SIGHUP"], { anySignal: false })).toMatchObject({ program: true });
});
