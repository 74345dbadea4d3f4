import { duration } from "../../output/durations.ts";
import { UsageError } from "../errors.ts";
import { durationFlag } from "../shared/values.ts";
import type { Args } from "../spec.ts";
import { usualInterval } from "./flags.ts";

/** Milliseconds between two looks: never none, so that the service is not flooded. */
export function intervalOf(flags: Args["flags"]): number {
  const interval = durationFlag({ interval: usualInterval, ...flags }, "interval");
  if (interval === 0) throw new UsageError("--interval must be longer than nothing");
  return interval;
}

/** A watch goes on unattended: it looks once a second at most. */
const shortestWatch = 1_000;

/** Milliseconds between two looks of a watch. */
export function watchInterval(flags: Args["flags"]): number {
  const interval = durationFlag(flags, "watch");
  if (interval < shortestWatch) {
    throw new UsageError(`--watch must be at least ${duration(shortestWatch)}, not ${flags.watch}`);
  }
  return interval;
}
