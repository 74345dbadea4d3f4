import { UsageError } from "../errors.ts";
import { parseNumber } from "../shared/values.ts";
import type { Args } from "../spec.ts";

/** `--count N`: a whole number from 1 up. */
export function countOf({ count }: Args["flags"]): number {
  const number = parseNumber(String(count), "--count");
  if (!Number.isInteger(number) || number < 1) {
    throw new UsageError(`--count must be a whole number from 1 up, not ${count}`);
  }
  return number;
}
