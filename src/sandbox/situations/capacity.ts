import type { Issue } from "../../contract/check/check.ts";
import { ApiError, issue, issueIf } from "../errors.ts";
import type { RentalInput } from "../rentals/lifecycle.ts";
import type { Queries } from "../store/queries.ts";
import { activeRentals } from "../tables/rentals.ts";
import { countHit, situationsOf } from "./table.ts";

type Place = Pick<RentalInput, "gpuType" | "region">;

/**
 * Returns a function that looks up how many GPUs of a type can still be rented in a region. The function returns
 * undefined if there is no limit. All users share the capacity.
 */
export function capacityAt(
  store: Queries,
  now: number,
): (place: { readonly gpuType: string; readonly region: string }) => number | undefined {
  const limits = situationsOf(store, "capacity");
  if (limits.length === 0) return () => undefined;
  const rented = activeRentals(store, undefined, now);
  return (place) => {
    const limit = limits.find(({ situation }) => covers(situation, place));
    return limit && Math.max(0, limit.situation.gpus - gpusOf(rented, place));
  };
}

const covers = (
  {
    gpuType,
    regions,
  }: { readonly gpuType?: string | undefined; readonly regions?: readonly string[] | undefined },
  place: { readonly gpuType: string; readonly region: string },
): boolean =>
  (gpuType === undefined || gpuType === place.gpuType) &&
  (regions === undefined || regions.includes(place.region));

const gpusOf = (
  rented: ReturnType<typeof activeRentals>,
  { gpuType, region }: { readonly gpuType?: string | undefined; readonly region?: string | undefined },
): number =>
  rented
    .map(({ rental }) => rental)
    .filter((rental) => region === undefined || rental.region === region)
    .filter((rental) => gpuType === undefined || rental.gpuType === gpuType)
    .reduce((total, { gpuCount }) => total + gpuCount, 0);

/** If a lack of capacity or a quota prevents a rental, returns the error and counts the refusal. */
export function refusalOf(
  store: Queries,
  userId: string,
  input: Place & Pick<RentalInput, "gpuCount">,
  now: number,
): ApiError | undefined {
  const { gpuType, gpuCount } = input;
  const capacity = situationsOf(store, "capacity").find(({ situation }) => covers(situation, input));
  const available = capacityAt(store, now)(input);
  if (capacity && available !== undefined && available < gpuCount) {
    countHit(store, capacity.id);
    const left = `${gpuCount} requested, ${available} available`;
    return new ApiError("BAD_REQUEST", [
      issue("region", `does not have enough ${gpuType} capacity: ${left}`),
    ]);
  }
  const quota = situationsOf(store, "quota").find(
    ({ situation }) =>
      (situation.gpuType ?? gpuType) === gpuType &&
      gpusOf(activeRentals(store, userId, now), situation) + gpuCount > situation.gpus,
  );
  if (quota === undefined) return undefined;
  countHit(store, quota.id);
  const { gpus, gpuType: limited } = quota.situation;
  const owned = gpusOf(activeRentals(store, userId, now), quota.situation);
  return new ApiError("FORBIDDEN", [
    issue(
      "gpuCount",
      `exceeds the ${limited ?? "GPU"} quota of ${gpus}: ${gpuCount} requested, ${owned} in use`,
    ),
  ]);
}

/** If a situation limits volumes to their region, returns an issue for each rental that is in another region. */
export function regionIssues(
  store: Queries,
  volumeRegion: string,
  field: string,
  rentals: readonly { readonly id?: number; readonly region: string }[],
): readonly Issue[] {
  if (situationsOf(store, "same-region").length === 0) return [];
  return rentals.flatMap(({ id, region }) => {
    const rental = id === undefined ? "the rental" : `rental ${id}`;
    const differs = `must be in the same region: the volume is in ${volumeRegion}, and ${rental} is in ${region}`;
    return issueIf(region !== volumeRegion, field, differs);
  });
}
