import { firstAt } from "../../output/paths.ts";
import { hourlyCostPaths } from "./views.ts";

/** Cents an hour of a rental, as far as its record tells. */
export function hourlyCost(rental: unknown): number | undefined {
  const cost = firstAt(rental, hourlyCostPaths);
  return typeof cost === "number" ? cost : undefined;
}
