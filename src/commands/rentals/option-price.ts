import { isRecord, recordsOf } from "../shared/records.ts";
import { type RentalType, rentalTypeOf } from "./rental-type.ts";

interface Wanted {
  readonly type: RentalType;
  readonly gpuType: string;
  readonly gpuCount: number;
  readonly region: string;
  readonly networkType: string;
}

/**
 * Cents an hour of what is about to be rented, from the service's catalogue of rental options: the cheapest option that
 * is just that, or one of a machine with fewer GPUs whose number divides it. Nothing when the catalogue does not say.
 */
export function hourlyCentsOf(options: unknown, wanted: Wanted): number | undefined {
  const prices = recordsOf(options).flatMap((option) => {
    if (!isRecord(option) || !fits(option, wanted)) return [];
    const { gpuCount, costPerHourCents } = option;
    if (typeof gpuCount !== "number" || typeof costPerHourCents !== "number") return [];
    const machines = wanted.gpuCount / gpuCount;
    return Number.isInteger(machines) ? [{ machines, cents: costPerHourCents * machines }] : [];
  });
  const fewest = Math.min(...prices.map(({ machines }) => machines));
  const best = prices.filter(({ machines }) => machines === fewest).map(({ cents }) => cents);
  return best.length > 0 ? Math.min(...best) : undefined;
}

/** What an option does not say, it does not exclude. */
const fits = (option: Readonly<Record<string, unknown>>, wanted: Wanted): boolean =>
  (rentalTypeOf(option) ?? wanted.type) === wanted.type &&
  String(option.gpuType).toLowerCase() === wanted.gpuType &&
  (option.region ?? wanted.region) === wanted.region &&
  (option.connectionType ?? wanted.networkType) === wanted.networkType;
