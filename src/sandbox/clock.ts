/** Milliseconds since 1970. The one clock for all that the sandbox stamps, bills and lets expire. */
export type Clock = () => number;

/** The clock of this machine: the one place where the sandbox looks at it. */
export const machineClock: Clock = () => Date.now();

export const secondMs = 1000;
export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** The last moment that a date-time with a four-digit year can name. */
export const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59);

/** A moment as the service writes it: ISO 8601, UTC, with milliseconds. */
export const stamp = (ms: number): string => new Date(ms).toISOString();

/** The whole second at or after a moment. */
export const wholeSecond = (ms: number): number => Math.ceil(ms / secondMs) * secondMs;
