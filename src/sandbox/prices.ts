import type { gpuTypes } from "../contract/enums.ts";

type GpuType = (typeof gpuTypes)[number];

/** What the sandbox asks for a GPU for an hour, in cents. */
export const centsPerGpuHour: Readonly<Record<GpuType, number>> = {
  h100: 200,
  h200: 260,
  b200: 400,
  "rtx-6000-pro": 100,
};

/** Percent off the hourly price for a reserved term of at least so many days, longest first. */
export const termDiscounts = [
  { days: 365, percent: 30 },
  { days: 90, percent: 20 },
  { days: 30, percent: 10 },
] as const;

export interface Priced {
  readonly gpuType: GpuType;
  readonly gpuCount: number;
  /** Percent, from 0 to below 100. */
  readonly discountPercentage: number;
}

/** Whole cents for an hour of a rental, at least 1; on-demand when no term is given. */
export function hourlyCents(rental: Priced, termDays = 0): number {
  const term = termDiscounts.find(({ days }) => termDays >= days)?.percent ?? 0;
  const list = centsPerGpuHour[rental.gpuType] * rental.gpuCount;
  return Math.max(1, Math.round((list * (100 - term) * (100 - rental.discountPercentage)) / 10_000));
}

/** Whole cents for a reserved term: its hourly price x 24 x days. */
export const termCents = (rental: Priced, days: number): number => hourlyCents(rental, days) * 24 * days;
