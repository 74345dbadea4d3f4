import { json } from "./json.ts";
import { lines } from "./lines.ts";
import type { Look } from "./look.ts";
import { isEmpty, recordsOf, type Value } from "./records.ts";
import type { OutputFormat, View } from "./view.ts";

export { isEmpty };

/** `terminal`: stdout is one; `width`: its columns; `now`: milliseconds since 1970. */
export interface RenderOptions extends Look {
  readonly format: OutputFormat;
}

/**
 * A value as the text for stdout, piece by piece, each piece ending at a line end. An empty list is no text in a table
 * and `[]` in JSON. Never throws for data of another shape than the view's. What draws tables is loaded for them alone.
 */
export async function* render(value: Value, view: View, options: RenderOptions): AsyncGenerator<string> {
  if (options.format === "json" || view.kind === "document") {
    const otherwise = view.kind === "list" ? [] : null;
    yield json(value.data ?? otherwise, options.terminal);
    return;
  }
  const records = recordsOf(value, view);
  if (options.format === "id" || view.kind === "lines") {
    yield* lines(records, view, options.terminal);
  } else if (view.kind === "list") {
    const { table } = await import("./table.ts");
    yield* table(records, view.columns, options);
  } else {
    const { record } = await import("./record.ts");
    yield* record(records, view, options);
  }
}
