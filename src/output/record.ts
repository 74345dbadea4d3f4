import { displayWidth } from "./display-width.ts";
import { draw } from "./draw.ts";
import { ABSENT } from "./drawn-column.ts";
import { formatted } from "./formats.ts";
import { leaves, shownLeaf } from "./leaves.ts";
import type { Look } from "./look.ts";
import { namesState, type Palette, palette } from "./paint.ts";
import { isRecord } from "./paths.ts";
import { plainText } from "./plain-text.ts";
import { oneLine } from "./sanitize.ts";
import type { Column, RecordView } from "./view.ts";

interface Field {
  readonly title: string;
  readonly text: string;
  readonly isState: boolean;
}

/** Beyond this a title pushes its value aside. */
const WIDEST_TITLE = 60;

/**
 * Records as `Title: value` lines, the values under each other, `-` for what is absent, a blank line between records.
 * Values are never cut. Without columns every field is shown under its dotted path.
 */
export async function* record(
  batches: AsyncIterable<readonly unknown[]>,
  { columns }: RecordView,
  look: Look,
): AsyncGenerator<string> {
  const paint = await palette(look.color);
  let first = true;
  for await (const records of batches) {
    for (const one of records) {
      if (!first) yield "\n";
      first = false;
      yield* drawRecord(one, columns, look, paint);
    }
  }
}

function* drawRecord(
  one: unknown,
  columns: RecordView["columns"],
  look: Look,
  { title, state }: Palette,
): Generator<string> {
  if (!isRecord(one)) {
    yield `${oneLine(plainText(one), look.terminal) || ABSENT}\n`;
    return;
  }
  const fields = columns === undefined ? ownFields(one) : columns.map((column) => chosen(one, column, look));
  const rows = fields.map((field) => {
    const text = oneLine(field.text, look.terminal) || ABSENT;
    return [
      { text: `${oneLine(field.title, look.terminal)}:`, paint: title },
      { text, paint: field.isState ? state(text) : undefined },
    ] as const;
  });
  const widest = rows.reduce((most, [name]) => Math.max(most, displayWidth(name.text, WIDEST_TITLE)), 1);
  yield* draw(rows, { widths: [widest, 1], aligns: ["left", "left"] });
}

function chosen(one: unknown, column: Column, look: Look): Field {
  return {
    title: column.title,
    text: formatted(one, column, look),
    isState: column.paths.some(namesState),
  };
}

function ownFields(one: unknown): readonly Field[] {
  return [...leaves(one)]
    .map(shownLeaf)
    .filter(({ path }) => path !== "")
    .map(({ path, text }) => ({ title: path, text, isState: namesState(path) }));
}
