import { UsageError } from "./errors.ts";

const UNITS = [
  { unit: "d", milliseconds: 86_400_000 },
  { unit: "h", milliseconds: 3_600_000 },
  { unit: "m", milliseconds: 60_000 },
  { unit: "s", milliseconds: 1000 },
] as const;

/** A duration in its two largest units, to the second (`2m 5s`, `1d 4h`), or `850ms` below a second. */
export function duration(milliseconds: number): string {
  const whole = Math.max(0, Math.round(milliseconds));
  if (whole < 1000) return `${whole}ms`;
  let rest = Math.round(whole / 1000) * 1000;
  const parts: string[] = [];
  for (const { unit, milliseconds: size } of UNITS) {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    if (amount > 0) parts.push(`${amount}${unit}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(" ");
}

/** The longest wait in milliseconds, in whole days: timers hold just under 25. */
export const maxDuration = 24 * UNITS[0].milliseconds;

const PATTERN = /^(?:([\d.]+)d)?\s?(?:([\d.]+)h)?\s?(?:([\d.]+)m)?\s?(?:([\d.]+)s)?\s?(?:([\d.]+)ms)?$/;
const SIZES = [...UNITS.map(({ milliseconds }) => milliseconds), 1];

/**
 * Milliseconds of a duration as typed: `30s`, `2m`, `1h30m`, `500ms`, `1.5h`, `1d`, largest unit first. Undefined
 * for anything else, including a number without a unit, which could be seconds or milliseconds.
 */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim();
  const match = PATTERN.exec(trimmed);
  if (match === null || trimmed === "") return undefined;
  const amounts = match.slice(1);
  if (amounts.some((amount) => amount !== undefined && !/^\d+(?:\.\d+)?$/.test(amount))) return undefined;
  const sum = SIZES.reduce((total, size, index) => total + Number(amounts[index] ?? 0) * size, 0);
  const milliseconds = Math.round(sum);
  return Number.isSafeInteger(milliseconds) ? milliseconds : undefined;
}

/** Milliseconds of a duration that a timer can hold. `source` is a flag, variable or key. Throws `UsageError`. */
export function parseWait(text: string, source: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined) {
    throw new UsageError(
      `${source} must be a duration such as 30s, 2m or 1h30m, not ${JSON.stringify(text)}`,
    );
  }
  if (milliseconds > maxDuration) {
    throw new UsageError(`${source} must be at most ${duration(maxDuration)}, not ${JSON.stringify(text)}`);
  }
  return milliseconds;
}
