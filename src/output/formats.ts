import { dollars } from "./money.ts";
import { firstAt, valueAt } from "./paths.ts";
import { plainText } from "./plain-text.ts";
import { sshAddresses, sshText } from "./ssh.ts";
import { parseTime, relativeTime } from "./time.ts";
import type { Column, Format } from "./view.ts";

/** Where a value is shown: a terminal has a reader with a clock, a pipe has a program. */
export interface Place {
  readonly terminal: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const formats: Record<Format, (value: unknown, record: unknown, place: Place) => string> = {
  text: plainText,
  any: plainText,
  number: plainText,
  list: plainText,
  cents: (value) => (typeof value === "number" ? dollars(value) : plainText(value)),
  time: (value, _record, { terminal, now }) => {
    const time = terminal && typeof value === "string" ? parseTime(value) : undefined;
    return time === undefined ? plainText(value) : relativeTime(time, now);
  },
  gpus: (_value, record) =>
    [valueAt(record, "gpuCount"), valueAt(record, "gpuType")]
      .map(plainText)
      .filter((part) => part !== "")
      .join("x "),
  ssh: (_value, record) => sshAddresses(record).map(sshText).join(", "),
  "yes-no": (value) => (typeof value === "boolean" ? (value ? "yes" : "no") : plainText(value)),
};

/**
 * What a column says about a record: empty when nothing is there. Cents are dollars with `$` and thousands apart in a
 * pipe as on a terminal; time stamps are relative on a terminal and as they came in a pipe. A value that its format
 * does not fit is shown on its own terms.
 */
export function formatted(record: unknown, column: Omit<Column, "title">, place: Place): string {
  return formats[column.format ?? "text"](spelt(record, column), record, place);
}

/** The same for a program: the value as it came, cents as the number that they are. */
export function plain(record: unknown, column: Omit<Column, "title">): string {
  const { format = "text" } = column;
  const value = spelt(record, column);
  return format === "gpus" || format === "ssh"
    ? formats[format](value, record, { terminal: false, now: 0 })
    : plainText(value);
}

function spelt(record: unknown, { paths, spelling }: Omit<Column, "title">): unknown {
  const value = firstAt(record, paths);
  if (spelling === undefined || typeof value !== "string") return value;
  const letters = value.replace(/[^a-z]/gi, "").toLowerCase();
  return Object.hasOwn(spelling, letters) ? spelling[letters] : value;
}

/** Numbers stand under each other by their last digit. */
export function isRightAligned(column: Column, records: readonly unknown[]): boolean {
  if (column.format !== "any") return column.format === "number" || column.format === "cents";
  const values = records
    .map((record) => firstAt(record, column.paths))
    .filter((value) => value !== undefined);
  return values.length > 0 && values.every((value) => typeof value === "number");
}
