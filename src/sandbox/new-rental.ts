import type { Issue } from "../contract/check.ts";
import type { CheckedInputOf } from "../contract/index.ts";
import { latestMs } from "./clock.ts";
import { nextTerm, type ReservedTerm, type StoredRental } from "./lifecycle.ts";
import { issue, refuse } from "./refusal.ts";

/** The largest rental that the sandbox makes. */
export const maxGpus = 4096;

type Asked = CheckedInputOf<"createVirtualMachineRental"> | CheckedInputOf<"createBareMetalRental">;
type Own = Pick<StoredRental, "rentalType" | "cudaVersion" | "customPorts">;

/**
 * A rental that starts to boot now; `own` is what its type has for itself.
 * @throws Refusal when the sandbox makes no such rental
 */
export function newRental(input: Asked, own: Own, now: number): StoredRental {
  refuse(...beyondLimits(input));
  const key = input.sshPublicKeyId;
  const rental: StoredRental = {
    ...own,
    label: input.label,
    gpuCount: input.gpuCount,
    gpuType: input.gpuType,
    region: input.region,
    networkType: input.networkType,
    discountPercentage: input.discountPercentage,
    convertToOnDemandOnExpiry: input.convertToOnDemandOnExpiry,
    monitoringEnabled: input.monitoringEnabled ?? false,
    sshPublicKeyIds: [...new Set([...(key === undefined ? [] : [key]), ...(input.sshPublicKeyIds ?? [])])],
    createdAt: now,
    terms: [],
  };
  if (input.termType === "on-demand") return rental;
  const term = nextTerm(rental, input.termPeriodDays ?? 0, now);
  refuse(...tooLong(term));
  return { ...rental, terms: [term] };
}

/** What the sandbox asks of a new rental beyond the documented limits. */
function beyondLimits({ gpuCount, discountPercentage, termType, termPeriodDays }: Asked): Issue[] {
  const wrong: Issue[] = [];
  if (!Number.isInteger(gpuCount) || gpuCount < 1 || gpuCount > maxGpus) {
    wrong.push(issue("gpuCount", `must be a whole number from 1 to ${maxGpus}`));
  }
  if (discountPercentage < 0 || discountPercentage >= 100) {
    wrong.push(issue("discountPercentage", "must be at least 0 and less than 100"));
  }
  if (termType === "reserved" && (!Number.isInteger(termPeriodDays) || Number(termPeriodDays) < 1)) {
    wrong.push(issue("termPeriodDays", "must be a whole number of at least 1 for a reserved rental"));
  }
  return wrong;
}

/** A term must end at a moment that a date-time can name. */
export const tooLong = ({ until }: ReservedTerm): Issue[] =>
  until > latestMs ? [issue("termPeriodDays", "must end before the year 10000")] : [];
