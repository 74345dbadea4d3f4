import type { Issue } from "../../contract/check.ts";
import type { StoredRental } from "../lifecycle.ts";
import { newRental } from "../new-rental.ts";
import { issue, refuse } from "../refusal.ts";
import type { SeededRental } from "./schema.ts";

/**
 * A rental of a seed as it is kept. One without a time of creation begins to boot now.
 * @throws Refusal when the sandbox makes no such rental, or its times are not in order
 */
export function seededRental(seeded: SeededRental, now: number): StoredRental {
  const createdAt = momentOf(seeded.createdAt) ?? now;
  const terminatedAt = momentOf(seeded.terminatedAt);
  refuse(...notPast("createdAt", createdAt, now), ...notPast("terminatedAt", terminatedAt, now));
  if (terminatedAt !== undefined && terminatedAt < createdAt) {
    refuse(issue("terminatedAt", "must not lie before createdAt"));
  }
  const own =
    seeded.rentalType === "bare-metal"
      ? { rentalType: seeded.rentalType, cudaVersion: seeded.cudaVersion }
      : { rentalType: seeded.rentalType, customPorts: seeded.customPorts };
  const rental = newRental(seeded, own, createdAt);
  return terminatedAt === undefined ? rental : { ...rental, terminatedAt };
}

export const momentOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);

/** What has happened lies in the past of the sandbox's clock. */
export const notPast = (field: string, moment: number | undefined, now: number): readonly Issue[] =>
  moment !== undefined && moment > now ? [issue(field, "must not lie after the sandbox's time")] : [];
