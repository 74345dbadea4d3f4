export interface RetryOptions {
  /** Tries after the first one. */
  readonly retries: number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
  readonly now: () => number;
}

/** What a try came to. A failure says whether another try is allowed and how long the service asked to wait. */
export type Attempt<Value> =
  | { readonly value: Value }
  | { readonly error: unknown; readonly again: boolean; readonly retryAfter?: string | null };

const firstPause = 250;
const longestPause = 8_000;
/** A service that asks for a longer pause than this, in milliseconds, is left to the user. */
const longestAskedPause = 60_000;

/** Tries until it works, may not be tried again, or the tries are used up. Pauses grow exponentially, with jitter. */
export async function withRetries<Value>(
  attempt: () => Promise<Attempt<Value>>,
  { retries, sleep, random, now }: RetryOptions,
): Promise<Value> {
  for (let tries = 0; ; tries += 1) {
    const result = await attempt();
    if ("value" in result) return result.value;
    const pause =
      askedPause(result.retryAfter, now()) ??
      Math.min(firstPause * 2 ** tries, longestPause) * (0.5 + random() / 2);
    if (!result.again || tries >= retries || pause > longestAskedPause) throw result.error;
    await sleep(pause);
  }
}

/** `Retry-After` in milliseconds: seconds, some services with a fraction, or a date. Anything else does not count. */
function askedPause(header: string | null | undefined, now: number): number | undefined {
  if (!header) return undefined;
  if (/^\d+(\.\d+)?$/.test(header.trim())) return Number(header) * 1000;
  const date = /^[a-z]{3}/i.test(header.trim()) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
