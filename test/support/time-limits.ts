import { onTestFinished, vi } from "vitest";

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
