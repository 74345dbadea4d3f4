import { duration, timeUnits } from "../core/values/durations.ts";

const year = 365 * 86_400_000;
const steps = [{ unit: "y", milliseconds: year }, ...timeUnits];

/**
 * The distance from `now`. A past time is rounded down to the largest unit: `3h ago`. A future time is shown in the two
 * largest units, or only in years: `in 1h 59m`, `in 2y`. Less than a second is `now`.
 */
export function relativeTime(then: number, now: number): string {
  const distance = Math.abs(then - now);
  const step = steps.find(({ milliseconds }) => distance >= milliseconds);
  if (step === undefined) return "now";
  if (then > now && distance < year) return `in ${duration(distance)}`;
  const amount = `${Math.floor(distance / step.milliseconds)}${step.unit}`;
  return then > now ? `in ${amount}` : `${amount} ago`;
}
