import { centNumber, dollarText, type Money } from "../../core/values/money.ts";
import type { DayCost } from "./days.ts";

interface PlotOptions {
  /** The width of the terminal; 0 if unknown. */
  readonly columns: number;
  /** Whether the terminal shows block characters. */
  readonly unicode: boolean;
}

/** More days than this do not fit on a screen. Earlier days are added up in one line. */
const maxDays = 31;
const defaultColumns = 80;
const minBar = 10;

/** Blocks of one to eight eighths of a column. */
const blocks = "▏▎▍▌▋▊▉█";

/**
 * A line with the cost and a proportional bar for each of the last `maxDays` days, and a line for the total. A day
 * without a cost has no bar. Amounts are exact.
 */
export function plot(days: readonly DayCost[], { columns, unicode }: PlotOptions): string {
  const shown = days.slice(-maxDays);
  const earlier = days.slice(0, -maxDays);
  const sum = (some: readonly DayCost[]): Money => some.reduce((total, { cost }) => total + cost, 0n);
  const rows = [
    ...(earlier.length > 0 ? [{ title: "earlier", cost: sum(earlier), bar: false }] : []),
    ...shown.map(({ date, cost }) => ({ title: date, cost, bar: true })),
    { title: "total", cost: sum(days), bar: false },
  ].map((row) => ({ ...row, amount: dollarText(row.cost), cents: centNumber(row.cost) }));
  const titleWidth = Math.max(...rows.map(({ title }) => title.length));
  const amountWidth = Math.max(...rows.map(({ amount }) => amount.length));
  const width = Math.max(minBar, (columns || defaultColumns) - titleWidth - amountWidth - "    ".length - 1);
  const highest = Math.max(...shown.map(({ cost }) => centNumber(cost)));
  const bar = (cents: number) =>
    unicode
      ? blockBar(cents / highest, width)
      : "#".repeat(Math.max(1, Math.round((cents / highest) * width)));
  return rows
    .map(({ title, amount, cents, bar: hasBar }) => {
      const start = `${title.padEnd(titleWidth)}  ${amount.padStart(amountWidth)}`;
      return hasBar && cents > 0 ? `${start}  ${bar(cents)}\n` : `${start}\n`;
    })
    .join("");
}

/** A bar that is exact to an eighth of a column. Even the smallest amount has a visible bar. */
function blockBar(share: number, width: number): string {
  const eighths = Math.max(1, Math.round(share * width * blocks.length));
  const rest = eighths % blocks.length;
  return "█".repeat(Math.floor(eighths / blocks.length)) + (rest > 0 ? (blocks[rest - 1] ?? "") : "");
}
