import { parseDuration } from "../output/durations.ts";
import { shown } from "./options.ts";

/** A span of time: milliseconds, or a text such as `90s`, `1h30m` or `30d`. */
export type Span = number | string;

/** Whole milliseconds of a span. Throws `RangeError` that names it for what is none, and for one that goes back. */
export function spanOf(span: Span, name: string): number {
  const milliseconds = typeof span === "string" ? parseDuration(span) : span;
  if (typeof milliseconds !== "number" || !Number.isFinite(milliseconds) || milliseconds < 0) {
    throw new RangeError(
      `${name} must be milliseconds or a text such as 90s, 1h30m or 30d, not ${shown(span)}`,
    );
  }
  return Math.round(milliseconds);
}
