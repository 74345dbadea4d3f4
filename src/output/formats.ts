import { firstAt, shownAt } from "../core/json.ts";
import { dollars, dollarText, exactCents, moneyOfDollars } from "../core/values/money.ts";
import { parseTime } from "../core/values/times.ts";
import type { Column, Format } from "../core/view.ts";
import { sshAddresses, sshText } from "./ssh.ts";
import { plainText } from "./text.ts";
import { relativeTime } from "./time.ts";

/** What the format of a value depends on. */
export interface FormatOptions {
  /** Times are relative on a terminal and unchanged in a pipe. */
  readonly terminal: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** How tables and records are drawn. */
export interface DrawOptions extends FormatOptions {
  /** Columns of the terminal; 0 if the number is not known. */
  readonly width: number;
  readonly color: boolean;
}

/** Shown for an absent value. */
export const ABSENT = "-";

const formats: Record<Format, (value: unknown, record: unknown, options: FormatOptions) => string> = {
  text: plainText,
  any: plainText,
  number: plainText,
  list: plainText,
  cents: (value) =>
    typeof value === "number" || typeof value === "bigint" ? dollars(value) : plainText(value),
  dollars: (value) =>
    typeof value === "number" && Number.isFinite(value)
      ? dollarText(moneyOfDollars(value))
      : plainText(value),
  time: (value, _record, { terminal, now }) => {
    const time = terminal && typeof value === "string" ? parseTime(value) : undefined;
    return time === undefined ? plainText(value) : relativeTime(time, now);
  },
  gpus: (_value, record) =>
    [shownAt(record, ["gpuCount"]), shownAt(record, ["gpuType"])]
      .map(plainText)
      .filter((part) => part !== "")
      .join("x "),
  ssh: (_value, record) => sshAddresses(record).map(sshText).join(", "),
  "yes-no": (value) => (typeof value === "boolean" ? (value ? "yes" : "no") : plainText(value)),
};

/**
 * Formats a column's value in a record for the user. Empty if the value is absent. Cents are shown as dollars, such as
 * `$1,234.50`, and times are relative on a terminal. A value that does not fit the column's format is shown as plain
 * text.
 */
export function formatted(record: unknown, column: Omit<Column, "title">, options: FormatOptions): string {
  const amount = column.format === "cents" ? firstAt(record, column.paths) : undefined;
  const value =
    typeof amount === "number" && Number.isFinite(amount)
      ? exactCents(amount, shownAt(record, column.paths))
      : normalized(record, column);
  return formats[column.format ?? "text"](value, record, options);
}

/** Formats a column's value in a record for programs. Times and cents are unchanged. */
export function plain(record: unknown, column: Omit<Column, "title">): string {
  const { format = "text" } = column;
  const value = normalized(record, column);
  return format === "gpus" || format === "ssh"
    ? formats[format](value, record, { terminal: false, now: 0 })
    : plainText(value);
}

function normalized(record: unknown, { paths, spelling }: Omit<Column, "title">): unknown {
  const value = shownAt(record, paths);
  if (spelling === undefined || typeof value !== "string") return value;
  const letters = value.replace(/[^a-z]/gi, "").toLowerCase();
  return Object.hasOwn(spelling, letters) ? spelling[letters] : value;
}

export function isRightAligned(column: Column, records: readonly unknown[]): boolean {
  if (column.format !== "any") return ["cents", "dollars", "number"].includes(column.format ?? "text");
  const values = records
    .map((record) => firstAt(record, column.paths))
    .filter((value) => value !== undefined);
  return values.length > 0 && values.every((value) => typeof value === "number");
}
