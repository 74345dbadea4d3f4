import { displayWidth } from "./display-width.ts";
import { formatted, isRightAligned } from "./formats.ts";
import type { Look } from "./look.ts";
import { namesState } from "./paint.ts";
import { isRecord } from "./paths.ts";
import { plainText } from "./plain-text.ts";
import { oneLine } from "./sanitize.ts";
import type { Column } from "./view.ts";

/** Stands for a value that is absent. */
export const ABSENT = "-";

/** A column and what it says of each record, in their order. */
export interface DrawnColumn {
  readonly column: Column;
  readonly title: string;
  readonly texts: readonly string[];
  readonly align: "left" | "right";
  readonly isState: boolean;
}

/** A column over some records; the first of a table shows a record without fields as it is. */
export function drawnColumn(
  records: readonly unknown[],
  column: Column,
  isFirst: boolean,
  look: Look,
): DrawnColumn {
  const texts = records.map((record) => {
    const text = isFirst && !isRecord(record) ? plainText(record) : formatted(record, column, look);
    return oneLine(text, look.terminal) || ABSENT;
  });
  return {
    column,
    title: oneLine(column.title.toUpperCase(), look.terminal),
    texts,
    align: isRightAligned(column, records) ? "right" : "left",
    isState: column.paths.some(namesState),
  };
}

/** Whether it says anything of any record. */
export const saysSomething = ({ texts }: DrawnColumn): boolean => texts.some((text) => text !== ABSENT);

/** Columns that the longest text takes, and the title where it is shown, counted up to a limit. */
export function naturalWidth({ title, texts }: DrawnColumn, header: boolean, limit: number): number {
  return texts.reduce(
    (widest, text) => Math.max(widest, displayWidth(text, limit)),
    header ? displayWidth(title, limit) : 1,
  );
}
