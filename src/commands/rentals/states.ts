import { isRecord } from "../shared/records.ts";

/** All that a record says of its state, in lower case, each once. */
export function statesOf(rental: unknown): readonly string[] {
  if (!isRecord(rental)) return [];
  const told = [rental.status, rental.state].filter((state): state is string => typeof state === "string");
  return [...new Set(told.map((state) => state.toLowerCase()))];
}

/** States as they stand after "it is". */
export const stateText = (states: readonly string[]): string => states.join(", ") || "in no known state";
