import { onTestFinished, vi } from "vitest";

/** Makes each time limit of this many milliseconds expire as soon as it starts. */
export function endTimeLimitsOf(milliseconds: number): void {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  vi.spyOn(AbortSignal, "timeout").mockImplementation((given) => timeout(given === milliseconds ? 0 : given));
  onTestFinished(() => void vi.restoreAllMocks());
}

/** Replaces `AbortSignal.timeout`, so that no time limit expires by itself. Returns a function that lets all expire. */
export function endTimeLimits(): () => void {
  const limits: AbortController[] = [];
  vi.spyOn(AbortSignal, "timeout").mockImplementation(() => {
    const limit = new AbortController();
    limits.push(limit);
    return limit.signal;
  });
  onTestFinished(() => void vi.restoreAllMocks());
  return () => {
    for (const limit of limits) limit.abort(new DOMException("", "TimeoutError"));
  };
}

/** Returns a function that moves the monotonic clock (`performance.now`) forward by this many milliseconds. */
export function steadyClock(): (milliseconds: number) => void {
  const now = performance.now.bind(performance);
  let added = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now() + added);
  onTestFinished(() => void vi.restoreAllMocks());
  return (milliseconds) => {
    added += milliseconds;
  };
}
