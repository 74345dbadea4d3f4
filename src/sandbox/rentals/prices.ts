import type { gpuTypes } from "../../contract/enums.ts";

type GpuType = (typeof gpuTypes)[number];

/** The hourly price of a GPU, in cents. */
export const centsPerGpuHour: Readonly<Record<GpuType, number>> = {
  h100: 200,
  h200: 260,
  b200: 400,
  "rtx-6000-pro": 100,
};

/** Discounts on the hourly price for reserved terms of at least `days` days, longest first. */
export const termDiscounts = [
  { days: 365, percent: 30 },
  { days: 90, percent: 20 },
  { days: 30, percent: 10 },
] as const;

/** The fields of a rental that determine its price. */
export interface Priced {
  readonly gpuType: GpuType;
  readonly gpuCount: number;
  /** From 0 to less than 100. */
  readonly discountPercentage: number;
}

/** The hourly price of a rental in whole cents, at least 1. Without `termDays`, this is the on-demand price. */
export function hourlyCents(rental: Priced, termDays = 0): number {
  const term = termDiscounts.find(({ days }) => termDays >= days)?.percent ?? 0;
  const listCents = centsPerGpuHour[rental.gpuType] * rental.gpuCount;
  return Math.max(1, Math.round((listCents * (100 - term) * (100 - rental.discountPercentage)) / 10_000));
}

/** The price of a reserved term in whole cents. */
export const termCents = (rental: Priced, days: number): number => hourlyCents(rental, days) * 24 * days;
