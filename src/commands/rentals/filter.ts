import { flag } from "../../command-kit/flag.ts";
import { labelPaths } from "../../command-kit/responses.ts";
import { UsageError } from "../../core/errors.ts";
import { asText, firstAt } from "../../core/json.ts";
import { matchesGlob } from "../../core/text.ts";
import { parseTime } from "../../core/values/times.ts";
import { createdPaths } from "./views.ts";

/** The flags that select rentals by label and age. */
export const filterFlags = {
  label: flag.text("Only rentals with a matching label: * is any text, ? any character", { value: "GLOB" }),
  olderThan: flag.age("Only rentals that were created longer ago than this"),
};

interface Filter {
  readonly label: string | undefined;
  /** Milliseconds. */
  readonly olderThan: number | undefined;
}

/**
 * Returns a function that says whether a rental matches the flags at the time `now`. Throws `UsageError` if `--label`
 * is empty.
 */
export function rentalFilter({ label, olderThan }: Filter, now: number): (record: unknown) => boolean {
  if (label === "") {
    throw new UsageError("--label must not be empty: give a label or a quoted pattern, such as 'train-*'");
  }
  return (record) =>
    (label === undefined || matchesLabel(record, label)) &&
    (olderThan === undefined || isOlderThan(record, olderThan, now));
}

/** Whether a rental's label matches a pattern. A rental without a label matches no pattern. */
function matchesLabel(record: unknown, glob: string): boolean {
  const label = firstAt(record, labelPaths);
  return (typeof label === "string" || typeof label === "number") && matchesGlob(String(label), glob);
}

/**
 * Whether a rental was created more than `milliseconds` before `now`. False if the time of creation is unknown. Some
 * services write an unknown time as the beginning of 1970, or earlier.
 */
function isOlderThan(record: unknown, milliseconds: number, now: number): boolean {
  const created = parseTime(asText(firstAt(record, createdPaths)));
  return created !== undefined && created > 0 && now - created > milliseconds;
}
