import { onTestFinished, vi } from "vitest";

/** Replaces the time limits that the system starts. Returns a function that ends all of them. */
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
