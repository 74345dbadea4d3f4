import { firstAt, isRecord } from "./paths.ts";
import { plainText } from "./plain-text.ts";
import { oneLine } from "./sanitize.ts";
import type { LinesView, ListView, RecordView } from "./view.ts";

const LINES_AT_ONCE = 50;

/**
 * One value of each record on a line of its own: its identifier, or what a view of lines shows. A record that has none
 * gives no line; a record that is text or a number is its own.
 */
export function* lines(
  records: readonly unknown[],
  view: ListView | RecordView | LinesView,
  terminal: boolean,
): Generator<string> {
  const paths = view.kind === "lines" ? [view.path] : view.id;
  for (let start = 0; start < records.length; start += LINES_AT_ONCE) {
    const piece = records
      .slice(start, start + LINES_AT_ONCE)
      .map((record) => oneLine(plainText(isRecord(record) ? firstAt(record, paths) : record), terminal))
      .filter((line) => line !== "")
      .map((line) => `${line}\n`)
      .join("");
    if (piece !== "") yield piece;
  }
}
