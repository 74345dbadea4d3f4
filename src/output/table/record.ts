import { isRecord } from "../../core/json.ts";
import type { Column, RecordView } from "../../core/view.ts";
import { displayWidth } from "../display-width.ts";
import { ABSENT, type DrawOptions, formatted } from "../formats.ts";
import { oneLine, plainText } from "../text.ts";
import { leaves, shownLeaf } from "./columns.ts";
import { alignRows, draw } from "./draw.ts";
import { isStatePath, type Palette, palette } from "./paint.ts";

interface Field {
  readonly title: string;
  readonly text: string;
  readonly isState: boolean;
}

/** Values are aligned after titles of up to this width. */
const MAX_TITLE_WIDTH = 60;

/**
 * Draws records as aligned lines of `Title: value`, with `-` for absent values and a blank line between records. Values
 * are never cut. If the view has no columns, every field is shown, with its dotted path as the title.
 */
export async function* record(
  batches: AsyncIterable<readonly unknown[]>,
  { columns }: RecordView,
  options: DrawOptions,
): AsyncGenerator<string> {
  const colors = await palette(options.color);
  let first = true;
  for await (const records of batches) {
    for (const one of records) {
      if (!first) yield "\n";
      first = false;
      yield* drawRecord(one, columns, options, colors);
    }
  }
}

function* drawRecord(
  one: unknown,
  columns: RecordView["columns"],
  options: DrawOptions,
  { title, state }: Palette,
): Generator<string> {
  if (!isRecord(one)) {
    yield `${oneLine(plainText(one), options.terminal) || ABSENT}\n`;
    return;
  }
  const fields = columns?.map((column) => fieldOf(one, column, options)) ?? allFields(one);
  const rows = fields.map((field) => {
    const text = oneLine(field.text, options.terminal) || ABSENT;
    return [
      { text: `${oneLine(field.title, options.terminal)}:`, paint: title },
      { text, paint: field.isState ? state(text) : undefined },
    ] as const;
  });
  const widest = rows.reduce((max, [name]) => Math.max(max, displayWidth(name.text, MAX_TITLE_WIDTH)), 1);
  yield* draw(rows, (some) => alignRows(some, { widths: [widest], aligns: ["left"] }));
}

function fieldOf(one: unknown, column: Column, options: DrawOptions): Field {
  return {
    title: column.title,
    text: formatted(one, column, options),
    isState: column.paths.some(isStatePath),
  };
}

function allFields(one: unknown): readonly Field[] {
  return [...leaves(one)]
    .map(shownLeaf)
    .filter(({ path }) => path !== "")
    .map(({ path, text }) => ({ title: path, text, isState: isStatePath(path) }));
}
