import type { Issue } from "../../contract/check/check.ts";
import type { CheckedInputOf } from "../../contract/index.ts";
import { latestMs, stamp } from "../clock.ts";
import { issue, issueIf, required, throwIfInvalid } from "../errors.ts";
import { regionIssues } from "../situations/capacity.ts";
import type { Queries } from "../store/queries.ts";
import { listSshKeys } from "../tables/users.ts";
import { addVolume, findVolume } from "../tables/volumes.ts";
import { type Boot, nextTerm, type RentalInput, type ReservedTerm, type StoredRental } from "./lifecycle.ts";

/** The maximum number of GPUs of a rental. */
export const maxGpus = 4096;

/**
 * Creates a rental that starts to boot at `now`. `boot` says how it boots, if not as usual. The rental keeps the whole
 * input, so a field that is added to the contract needs no change here.
 * @throws ApiError when the input is outside the sandbox's own limits
 */
export function newRental(input: RentalInput, now: number, boot?: Boot): StoredRental {
  assertWithinLimits(input);
  const rental: StoredRental = { ...input, createdAt: now, terms: [], ...(boot && { boot }) };
  if (input.termType === "on-demand") return rental;
  const term = nextTerm(rental, input.termPeriodDays ?? 0, now);
  throwIfInvalid(...termIssues(term));
  return { ...rental, terms: [term] };
}

const isCount = (value: number, max = Number.POSITIVE_INFINITY): boolean =>
  Number.isInteger(value) && value >= 1 && value <= max;

/** Discounts, in percent, are at least 0 and less than this. */
export const discountEnd = 100;

/** Checks the sandbox's own limits, beyond the documented ones. @throws ApiError */
function assertWithinLimits(input: RentalInput): void {
  const { gpuCount, discountPercentage: discount, termType, termPeriodDays = 0 } = input;
  const lacksDays = termType === "reserved" && !isCount(termPeriodDays);
  throwIfInvalid(
    ...issueIf(!isCount(gpuCount, maxGpus), "gpuCount", `must be a whole number from 1 to ${maxGpus}`),
    ...issueIf(
      discount < 0 || discount >= discountEnd,
      "discountPercentage",
      `must be at least 0 and less than ${discountEnd}`,
    ),
    ...issueIf(lacksDays, "termPeriodDays", "must be a whole number of at least 1 for a reserved rental"),
  );
}

export const termIssues = ({ until }: ReservedTerm): readonly Issue[] =>
  issueIf(until > latestMs, "termPeriodDays", "must end the term before the year 10000");

/**
 * The public keys of the SSH keys that a rental names.
 * @throws ApiError when one of the keys does not exist
 */
export function sshPublicKeysOf(
  store: Queries,
  userId: string,
  { sshPublicKeyId, sshPublicKeyIds = [] }: Pick<RentalInput, "sshPublicKeyId" | "sshPublicKeyIds">,
): readonly string[] {
  if (sshPublicKeyId === undefined && sshPublicKeyIds.length === 0) return [];
  const known = new Map(listSshKeys(store, userId).map(({ id, publicKey }) => [id, publicKey]));
  const unknown = (field: string, ids: readonly number[]) =>
    [...new Set(ids)].filter((id) => !known.has(id)).map((id) => issue(field, `no SSH key has the id ${id}`));
  throwIfInvalid(
    ...unknown("sshPublicKeyId", sshPublicKeyId === undefined ? [] : [sshPublicKeyId]),
    ...unknown("sshPublicKeyIds", sshPublicKeyIds),
  );
  const named = new Set([sshPublicKeyId ?? [], sshPublicKeyIds].flat());
  return [...named].flatMap((id) => known.get(id) ?? []);
}

/**
 * The id of the volume that a bare-metal rental is created with: an existing one, or a new one in the rental's region.
 * @throws ApiError when the volume does not exist, or when a situation limits volumes to their region and the rental is
 * in another region
 */
export function volumeFor(
  store: Queries,
  userId: string,
  volume: NonNullable<CheckedInputOf<"createBareMetalRental">["storageVolume"]>,
  { region, createdAt }: StoredRental,
): number {
  if (!volume.isNew) {
    const found = findVolume(store, userId, volume.id);
    const known = required(found, "storageVolume", `no volume has the id ${volume.id}`);
    throwIfInvalid(...regionIssues(store, known.region, "storageVolume", [{ region }]));
    return known.id;
  }
  const { isNew: _, ...created } = volume;
  return addVolume(store, userId, { ...created, region, createdAt: stamp(createdAt) });
}
