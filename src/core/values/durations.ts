import { UsageError } from "../errors.ts";

/** Largest first. */
export const timeUnits = [
  { unit: "d", milliseconds: 86_400_000 },
  { unit: "h", milliseconds: 3_600_000 },
  { unit: "m", milliseconds: 60_000 },
  { unit: "s", milliseconds: 1000 },
] as const;

/**
 * Formats a duration in its two largest units, such as `2m 5s` or `1d 4h`. A duration below one second is in
 * milliseconds, such as `850ms`.
 */
export function duration(milliseconds: number): string {
  const whole = Math.max(0, Math.round(milliseconds));
  if (whole < 1000) return `${whole}ms`;
  let rest = Math.round(whole / 1000) * 1000;
  const parts: string[] = [];
  for (const { unit, milliseconds: size } of timeUnits) {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    if (amount > 0) parts.push(`${amount}${unit}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(" ");
}

/** A longer wait is probably a mistake of the service, so its exact length is not shown. */
const longestAskedWait = 36_500 * timeUnits[0].milliseconds;

/** Says how long a service asks the caller to wait. Undefined if it does not ask to wait. */
export function askedWait(milliseconds: number | undefined): string | undefined {
  if (milliseconds === undefined || Math.round(milliseconds) <= 0) return undefined;
  const isTooLong = milliseconds > longestAskedWait;
  return `The service asks to wait ${isTooLong ? `more than ${duration(longestAskedWait)}` : duration(milliseconds)}.`;
}

/** The maximum delay of a Node.js timer in milliseconds: just under 25 days. */
export const maxTimerMs = 2 ** 31 - 1;

/** The maximum wait in milliseconds: 24 days, which is within the range of a timer. */
export const maxDuration = 24 * timeUnits[0].milliseconds;

/**
 * The maximum length of a lease in milliseconds: ten years. A lease that ends with a process and not at a set time has
 * this length.
 */
export const maxLease = 3650 * timeUnits[0].milliseconds;

/** Throws a `UsageError` that names `source` unless the length of a lease is more than 0 and at most `maxLease`. */
export function assertLease(milliseconds: number, source: string): void {
  if (milliseconds <= 0) throw new UsageError(`${source} must be greater than 0`);
  if (milliseconds > maxLease) throw new UsageError(`${source} must be at most ${duration(maxLease)}`);
}

/** A signal that is aborted after a time, at most `maxTimerMs`. It does not keep the process running. */
export const limitAfter = (milliseconds: number): AbortSignal =>
  AbortSignal.timeout(Math.min(Math.ceil(milliseconds), maxTimerMs));

const parsedUnits = [...timeUnits, { unit: "ms", milliseconds: 1 }];
const pattern = new RegExp(
  `^${parsedUnits.map(({ unit }) => `(?:(\\d+(?:\\.\\d+)?)${unit})?`).join("\\s?")}$`,
);

/**
 * Parses a duration such as `30s`, `2m`, `1h30m`, `500ms`, `1.5h` or `1d`, largest unit first, into milliseconds.
 * Undefined for anything else, including a number without a unit, which could be seconds or milliseconds.
 */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim();
  const match = pattern.exec(trimmed);
  if (match === null || trimmed === "") return undefined;
  const [, ...amounts] = match;
  const sum = parsedUnits.reduce(
    (total, unit, at) => total + Number(amounts[at] ?? 0) * unit.milliseconds,
    0,
  );
  return Number.isSafeInteger(Math.round(sum)) ? Math.round(sum) : undefined;
}

/**
 * Parses a duration of at most `maxDuration` into milliseconds. Throws `UsageError` if it is invalid or longer. The
 * error names `source`: a flag, variable or configuration key.
 */
export function parseWait(text: string, source: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined && milliseconds <= maxDuration) return milliseconds;
  const allowed =
    milliseconds === undefined ? "a duration such as 30s, 2m or 1h30m" : `at most ${duration(maxDuration)}`;
  throw new UsageError(`${source} must be ${allowed}, not ${JSON.stringify(text)}`);
}

/** Parses a duration without a maximum, such as the age of a machine. Throws `UsageError` if it is invalid. */
export function parseAge(text: string, source: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined) return milliseconds;
  throw new UsageError(`${source} must be a duration such as 30m, 12h or 7d, not ${JSON.stringify(text)}`);
}
