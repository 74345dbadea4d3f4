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
  readonly title: string;
  readonly texts: readonly string[];
  readonly align: "left" | "right";
  readonly isState: boolean;
}

/** The columns that say something; in a pipe all of them. The first is always there. */
export function drawnColumns(
  records: readonly unknown[],
  columns: readonly Column[],
  look: Look,
): readonly DrawnColumn[] {
  return columns
    .map((column, index) => drawnColumn(records, column, index === 0, look))
    .filter(({ texts }, index) => index === 0 || !look.terminal || texts.some((text) => text !== ABSENT));
}

function drawnColumn(records: readonly unknown[], column: Column, isFirst: boolean, look: Look): DrawnColumn {
  const texts = records.map((record) => {
    // A record without fields can only be shown as it is.
    const text = isFirst && !isRecord(record) ? plainText(record) : formatted(record, column, look);
    return oneLine(text, look.terminal) || ABSENT;
  });
  return {
    title: column.title.toUpperCase(),
    texts,
    align: isRightAligned(column) ? "right" : "left",
    isState: column.paths.some(namesState),
  };
}

/** Columns that the title and the longest text take, counted up to a limit. */
export function naturalWidth({ title, texts }: DrawnColumn, limit: number): number {
  return texts.reduce(
    (widest, text) => Math.max(widest, displayWidth(text, limit)),
    displayWidth(title, limit),
  );
}
