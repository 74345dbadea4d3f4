const UNITS = [
  { unit: "d", milliseconds: 86_400_000 },
  { unit: "h", milliseconds: 3_600_000 },
  { unit: "m", milliseconds: 60_000 },
  { unit: "s", milliseconds: 1000 },
] as const;

/** A span of milliseconds in its two largest units, to the second (`2m 5s`, `1d 4h`), or `850ms` below a second. */
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

/** Milliseconds that no wait may be longer than, in whole days: the system's timers hold not quite 25. */
export const longestDuration = 24 * UNITS[0].milliseconds;

const SPAN = /^(?:([\d.]+)d)?\s?(?:([\d.]+)h)?\s?(?:([\d.]+)m)?\s?(?:([\d.]+)s)?\s?(?:([\d.]+)ms)?$/;
const SIZES = [...UNITS.map(({ milliseconds }) => milliseconds), 1];

/**
 * Milliseconds of a span as a person types it: `30s`, `2m`, `1h30m`, `500ms`, `1.5h`, `1d`, largest unit first. Undefined
 * for anything else, a number without a unit among it: nobody can tell seconds from milliseconds there.
 */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim();
  const match = SPAN.exec(trimmed);
  if (match === null || trimmed === "") return undefined;
  const amounts = match.slice(1);
  if (amounts.some((amount) => amount !== undefined && !/^\d+(?:\.\d+)?$/.test(amount))) return undefined;
  const sum = SIZES.reduce((total, size, index) => total + Number(amounts[index] ?? 0) * size, 0);
  const milliseconds = Math.round(sum);
  return Number.isSafeInteger(milliseconds) ? milliseconds : undefined;
}
