import type { Records } from "./answer.ts";
import { compactJson } from "./json.ts";
import { isRecord } from "./paths.ts";
import { recordsOf, type Value, wholeOf } from "./records.ts";
import type { View } from "./view.ts";

/** Records as they were sent, each a line of JSON; anything but a list, or a page around one, is one line. */
export async function* jsonl(value: Value | Records, view: View, terminal: boolean): AsyncGenerator<string> {
  if ("records" in value) {
    for await (const records of value.records) yield jsonLines(records, terminal);
    return;
  }
  const data = wholeOf(value, view);
  const many = view.kind !== "document" && (Array.isArray(data) || (view.kind === "list" && isRecord(data)));
  yield jsonLines(many ? recordsOf({ data }, view) : [data], terminal);
}

const jsonLines = (records: readonly unknown[], terminal: boolean): string =>
  records.map((record) => `${compactJson(record, terminal)}\n`).join("");
