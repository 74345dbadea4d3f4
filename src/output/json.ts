import { isRecord } from "../core/json.ts";
import type { Records } from "../core/result.ts";
import { unicodeEscape, unseen } from "../core/unseen.ts";
import { stringifyExactly } from "../core/values/exact-numbers.ts";
import type { View } from "../core/view.ts";
import { recordsOf, type Value, wholeOf } from "./records.ts";

/** Writes a value as JSON with an indent of two and a newline at the end. */
export const json = (data: unknown): string => `${escapedJson(data, 2)}\n`;

/**
 * Writes batches of records as one JSON array. The text is byte for byte the same as from `json` for the whole list.
 */
export async function* jsonArray(batches: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let before = "[";
  for await (const records of batches) {
    let piece = "";
    for (const record of records) {
      piece += `${before}\n  ${escapedJson(record, 2).replaceAll("\n", "\n  ")}`;
      before = ",";
    }
    if (piece !== "") yield piece;
  }
  yield before === "[" ? "[]\n" : "\n]\n";
}

/** Writes JSON Lines: one line for each record of a list or of a page, or a single line for any other value. */
export async function* jsonl(value: Value | Records, view: View): AsyncGenerator<string> {
  if ("records" in value) {
    for await (const records of value.records) yield jsonLines(records);
    return;
  }
  const data = wholeOf(value, view);
  const many = view.kind !== "document" && (Array.isArray(data) || (view.kind === "list" && isRecord(data)));
  yield jsonLines(many ? recordsOf({ data }, view) : [data]);
}

const jsonLines = (records: readonly unknown[]): string =>
  records.map((record) => `${escapedJson(record)}\n`).join("");

/** Writes a value as JSON that is safe to print on a terminal. The text is `null` if JSON cannot express the value. */
export const escapedJson = (data: unknown, indent?: number): string =>
  escapeControls(stringifyExactly(data, indent) ?? "null");

/**
 * Escapes control characters and other invisible characters that JSON.stringify does not escape. A JSON reader gets the
 * same value.
 */
export const escapeControls = (text: string): string => text.replace(unseenCharacters, unicodeEscape);

const unseenCharacters = new RegExp(`[${unseen}]`, "g");
