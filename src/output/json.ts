import { isRecord } from "../core/json.ts";
import type { Records } from "../core/result.ts";
import { unicodeEscape, unseen } from "../core/unseen.ts";
import { stringifyExactly } from "../core/values/exact-numbers.ts";
import type { View } from "../core/view.ts";
import { recordsOf, type Value, wholeOf } from "./records.ts";

/** A value as JSON with an indent of two, ended by a newline. */
export const json = (data: unknown): string => `${escapedJson(data, 2)}\n`;

/** Batches of records as one JSON array, byte for byte the same as `json` of the whole list. */
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

/** JSON Lines: a line for each record of a list or of a page, one line for any other value. */
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

/** A value as JSON that a terminal does not interpret; `null` for one that JSON cannot express. */
export const escapedJson = (data: unknown, indent?: number): string =>
  escapeControls(stringifyExactly(data, indent) ?? "null");

/**
 * JSON text with `\u` escapes for the control characters and the like that JSON.stringify leaves as they are. A JSON
 * reader sees the same value.
 */
export const escapeControls = (text: string): string => text.replace(unseenCharacters, unicodeEscape);

const unseenCharacters = new RegExp(`[${unseen}]`, "g");
