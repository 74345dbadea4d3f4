import { parseDuration } from "../output/durations.ts";

/** A span of time: milliseconds, or a text such as `90s`, `1h30m` or `30d`. */
export type Span = number | string;

/** Milliseconds of a span. Throws `RangeError` for what is none, and for one that goes back. */
export function spanOf(span: Span): number {
  const milliseconds = typeof span === "string" ? parseDuration(span) : span;
  if (milliseconds === undefined || !Number.isFinite(milliseconds) || milliseconds < 0) {
    throw new RangeError(
      `time advances by milliseconds or by a text such as 90s, 1h30m or 30d, not by ${JSON.stringify(span)}`,
    );
  }
  return milliseconds;
}
