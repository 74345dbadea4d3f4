import { UsageError } from "../../../core/errors.ts";
import { firstAt } from "../../../core/json.ts";
import { parseTime } from "../../../core/values/times.ts";
import type { Column } from "../../../core/view.ts";
import { plain } from "../../../output/formats.ts";
import { chosenColumns } from "../../../output/table/columns.ts";
import { type ActiveRental, rowOf } from "../listing.ts";
import { activeRentals, age, sortNames } from "../views.ts";

/**
 * Returns a function that sorts by `COLUMN`, `COLUMN:asc` or `COLUMN:desc`. Throws `UsageError` unless COLUMN is a
 * column of the table or one of the `chosen` columns.
 */
export function sorter(
  text: string,
  chosen: readonly string[],
): (rentals: readonly ActiveRental[]) => readonly ActiveRental[] {
  const [, word = "", order] = /^(.*?)(?::(asc|desc))?$/s.exec(text) ?? [];
  const [column] = chosenColumns(activeRentals, [word]);
  const isKnown = [...activeRentals.columns, ...chosenColumns(activeRentals, chosen)].some(
    (one) => one.paths.join() === column?.paths.join(),
  );
  if (column === undefined || !isKnown) {
    throw new UsageError(`--sort must be a column, such as age or label:desc, not ${JSON.stringify(text)}`, {
      hint: `Columns: ${sortNames.join(", ")}.`,
    });
  }
  const isReversed = (order === "desc") !== (word.toLowerCase() === age);
  return (rentals) => {
    const keys = rentals.map((rental) => ({ rental, key: sortKey(rowOf(rental), column) }));
    const present = keys.filter(({ key }) => key !== undefined && key !== "");
    const absent = keys.filter(({ key }) => key === undefined || key === "");
    present.sort((one, other) => compare(one.key, other.key) * (isReversed ? -1 : 1));
    return [...present, ...absent].map(({ rental }) => rental);
  };
}

/** Times and numbers are compared as numbers, anything else as text. */
function sortKey(row: unknown, column: Column): number | string | undefined {
  if (column.format === "time") return parseTime(plain(row, column));
  const value = firstAt(row, column.paths);
  return typeof value === "number" ? value : plain(row, column);
}

/** Compares the digits in texts as numbers: `2x h100` comes before `8x h100` and `10x h100`. */
const { compare: compareTexts } = new Intl.Collator("en", { numeric: true });

const compare = (one: number | string | undefined, other: number | string | undefined): number =>
  typeof one === "number" && typeof other === "number"
    ? one - other
    : compareTexts(String(one), String(other));
