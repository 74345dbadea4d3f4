import { duration } from "../../../output/durations.ts";
import { reasonOf } from "../../errors.ts";
import { failure, ok, remote, warning } from "../finding.ts";

/** Milliseconds that the two clocks may differ by. The service's is told to the second. */
const little = 30_000;
const most = 300_000;

/** The clock of this machine against that of the service, as it tells it with each answer. */
export const clock = remote(async ({ host, now }) => {
  let date: string | undefined;
  try {
    date = (await host()).date;
  } catch (error) {
    return warning(`could not be compared: ${reasonOf(error)}`, "Run it again when the service answers.");
  }
  const theirs = Date.parse(date ?? "");
  if (Number.isNaN(theirs)) return ok("not compared: the service does not tell the time");
  const skew = now() - theirs;
  const off = `${duration(Math.abs(skew))} ${skew > 0 ? "ahead of" : "behind"} the service`;
  const advice = "Set the clock, best by a time service (NTP).";
  if (Math.abs(skew) > most) return failure(off, advice);
  return Math.abs(skew) > little ? warning(off, advice) : ok("agrees with the service");
});
