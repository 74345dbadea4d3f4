import { constants, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import process from "node:process";
import { isatty } from "node:tty";
import { Interrupted } from "../core/errors.ts";
import type { System } from "./types.ts";

/** The signals for Ctrl-C, a termination request and a closed terminal. */
export const interruptionSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Ctrl-C and termination signals. */
export interface Interruption {
  /**
   * Aborted by the first Ctrl-C, closed terminal or termination signal. A second one ends the process immediately,
   * unless it has the same cause as the first: see `repetitions`.
   */
  readonly signal: AbortSignal;
  /**
   * Lets a child process handle interruptions while it uses our terminal. The terminal sends Ctrl-C to both processes,
   * so SIGINT is ignored here; other signals are passed to `forward`.
   */
  readonly leaveToChild: <Value>(
    forward: (signal: NodeJS.Signals) => void,
    work: Promise<Value>,
  ) => Promise<Value>;
  /**
   * Runs work that Ctrl-C cancels without ending the program: the first Ctrl-C only aborts the work's AbortSignal. A
   * second Ctrl-C, or another signal of the operating system, interrupts the whole program. If `anySignal` is true, the
   * other signals count as Ctrl-C.
   */
  readonly interruptible: System["interruptible"];
}

/**
 * Whether `nohup` started gpuctl. `nohup` makes a process ignore SIGHUP, but Node.js resets that setting. Two other
 * traces remain: bash and zsh set `_` to the program that they start, and on Linux, if stdin is a terminal, GNU `nohup`
 * replaces it with /dev/null, opened for writing.
 */
function isUnderNohup(): boolean {
  if (basename(process.env._ ?? "") === "nohup") return true;
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync("/proc/self/fdinfo/0", "utf8"))?.[1] ?? "0";
    const isWriteOnly = (Number.parseInt(flags, 8) & 3) === constants.O_WRONLY;
    return isWriteOnly && readlinkSync("/proc/self/fd/0") === "/dev/null";
  } catch {
    // Not on Linux, or stdin is closed.
    return false;
  }
}

export function interruption(): Interruption {
  const controller = new AbortController();
  endWithTerminal();
  reportFileSizeLimit();
  let forward: ((signal: NodeJS.Signals) => void) | undefined;
  let current: AbortController | undefined;
  let everySignal = false;
  const isRepeated = repetitions();
  for (const signal of interruptionSignals) {
    process.on(signal, () => {
      if (signal === "SIGHUP" && isUnderNohup()) return;
      if (forward !== undefined) {
        if (signal !== "SIGINT") forward(signal);
        return;
      }
      const own = signal === "SIGINT" || everySignal ? current : undefined;
      const isAborted = own?.signal.aborted || controller.signal.aborted;
      if (isRepeated(signal) && (isAborted || signal === "SIGINT")) return;
      if (own?.signal.aborted === false) {
        own.abort(new Interrupted());
        return;
      }
      if (controller.signal.aborted) process.exit(130);
      controller.abort(new Interrupted());
    });
  }
  return {
    signal: controller.signal,
    leaveToChild: async (to, work) => {
      forward = to;
      try {
        return await work;
      } finally {
        forward = undefined;
      }
    },
    interruptible: async (work, { anySignal } = { anySignal: false }) => {
      const own = new AbortController();
      current = own;
      everySignal = anySignal;
      try {
        return await work(AbortSignal.any([own.signal, controller.signal]));
      } finally {
        current = undefined;
      }
    },
  };
}

/**
 * Two SIGINT signals within this many milliseconds count as one Ctrl-C. The terminal sends SIGINT to `npx` and to
 * gpuctl, and `npx` then sends SIGINT to gpuctl again. A user who presses Ctrl-C twice takes longer. Two SIGTERM
 * signals count as one as well: `timeout` sends SIGTERM to gpuctl and then to its process group, to which gpuctl also
 * belongs.
 */
export const oneCtrlC = 100;

/**
 * Returns a function to call for each signal. It returns whether the signal may have the same cause as an earlier one.
 * It returns true even for a SIGHUP that comes first, so callers also check whether an earlier signal has interrupted
 * anything.
 *
 * - When a terminal is closed, a shell sends SIGHUP to its programs, and the kernel sends SIGHUP when the shell ends. A
 *   logout also sends SIGTERM, before or after that. So every SIGHUP counts as a repetition, and so does the first
 *   SIGTERM if it comes after a SIGHUP.
 * - For two SIGINT or SIGTERM signals, see `oneCtrlC`.
 */
function repetitions(): (signal: (typeof interruptionSignals)[number]) => boolean {
  /** When each signal last arrived. */
  const earlier = new Map<string, number>();
  return (signal) => {
    const now = performance.now();
    const before = earlier.get(signal);
    if (before !== undefined && now - before < oneCtrlC) return true;
    earlier.set(signal, now);
    return signal === "SIGHUP" || (signal === "SIGTERM" && before === undefined && earlier.has("SIGHUP"));
  };
}

/**
 * Makes a write beyond the limit of `ulimit -f` fail, so that gpuctl reports it like a write to a full disk. Without a
 * handler, the signal would kill the process, and a result that has arrived would be lost. A handler, unlike an ignored
 * signal, does not affect the programs that gpuctl starts.
 */
function reportFileSizeLimit(): void {
  process.on("SIGXFSZ", () => {});
}

/**
 * If the terminal is gone at exit, ends the process with SIGHUP, as a closed terminal does. Without this,
 * Node.js would abort: it cannot restore the modes of a terminal that is gone.
 */
function endWithTerminal(): void {
  if (process.platform === "win32") return;
  const terminals = [0, 1, 2].filter((fd) => isatty(fd));
  process.once("exit", () => {
    if (terminals.every((fd) => isatty(fd))) return;
    process.removeAllListeners("SIGHUP");
    process.kill(process.pid, "SIGHUP");
  });
}
