import { flag } from "../../command-kit/flag.ts";
import { labelPaths } from "../../command-kit/responses.ts";
import { UsageError } from "../../core/errors.ts";
import { firstAt } from "../../core/json.ts";
import { parseTime } from "../../output/time.ts";
import { createdPaths } from "./views.ts";

/** The flags that select rentals by what their records say. */
export const filterFlags = {
  label: flag.text("Only rentals with a matching label: * is any text, ? any character", { value: "GLOB" }),
  olderThan: flag.age("Only rentals that were created longer ago"),
};

interface Filter {
  readonly label: string | undefined;
  /** Milliseconds. */
  readonly olderThan: number | undefined;
}

/** The condition that the flags set, at the time `now`. Throws `UsageError` for an empty label, which none has. */
export function rentalFilter({ label, olderThan }: Filter, now: number): (record: unknown) => boolean {
  if (label === "")
    throw new UsageError("--label must not be empty; quote a pattern, as in --label 'train-*'");
  return (record) =>
    (label === undefined || matchesLabel(record, label)) &&
    (olderThan === undefined || isOlderThan(record, olderThan, now));
}

/** Whether a rental's label matches a pattern. A rental without a label matches none. */
function matchesLabel(record: unknown, glob: string): boolean {
  const label = firstAt(record, labelPaths);
  return (typeof label === "string" || typeof label === "number") && matchesGlob(String(label), glob);
}

/**
 * Whether a text matches all of a pattern, in which `*` stands for any text and `?` for one character. Upper and lower
 * case differ. It tries at most each character of the pattern at each of the text.
 */
function matchesGlob(text: string, glob: string): boolean {
  const [characters, pattern] = [[...text], [...glob]];
  let [at, next] = [0, 0];
  /** Where to continue after the last `*`, when it stands for one more character. */
  let retry: { at: number; next: number } | undefined;
  while (at < characters.length) {
    if (pattern[next] === "*") {
      next += 1;
      retry = { at, next };
    } else if (pattern[next] === "?" || pattern[next] === characters[at]) {
      at += 1;
      next += 1;
    } else if (retry) {
      retry.at += 1;
      ({ at, next } = retry);
    } else {
      return false;
    }
  }
  return pattern.slice(next).every((character) => character === "*");
}

/**
 * Whether a rental was created more than `milliseconds` before `now`. A rental whose time of creation is unknown is not
 * older than anything; times up to 1970 are the way some services write an unknown one.
 */
function isOlderThan(record: unknown, milliseconds: number, now: number): boolean {
  const created = parseTime(String(firstAt(record, createdPaths)));
  return created !== undefined && created > 0 && now - created > milliseconds;
}
