import { isRecord } from "../core/json.ts";
import type { Records } from "../core/result.ts";
import { stringifyExactly } from "../core/values/exact-numbers.ts";
import type { View } from "../core/view.ts";
import { recordsOf, type Value, wholeOf } from "./records.ts";

/** A value as JSON with an indent of two, ended by a newline. `terminal` applies {@link escapeControls}. */
export function json(data: unknown, terminal: boolean): string {
  return escapeControls(`${stringifyExactly(data, 2) ?? "null"}\n`, terminal);
}

/** Batches of records as one JSON array, byte for byte the same as `json` of the whole list. */
export async function* jsonArray(
  batches: AsyncIterable<readonly unknown[]>,
  terminal: boolean,
): AsyncGenerator<string> {
  let before = "[";
  for await (const records of batches) {
    let piece = "";
    for (const record of records) {
      const text = stringifyExactly(record, 2) ?? "null";
      piece += `${before}\n  ${text.replaceAll("\n", "\n  ")}`;
      before = ",";
    }
    if (piece !== "") yield escapeControls(piece, terminal);
  }
  yield before === "[" ? "[]\n" : "\n]\n";
}

/** JSON Lines: a line for each record of a list or of a page, one line for any other value. */
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
  records.map((record) => `${escapeControls(stringifyExactly(record) ?? "null", terminal)}\n`).join("");

/**
 * JSON text for a terminal: control characters and bidirectional overrides, which JSON.stringify leaves as they are, are
 * written as `\u` escapes. A JSON reader sees the same value.
 */
export const escapeControls = (text: string, terminal: boolean): string =>
  terminal ? text.replace(/[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, unicodeEscape) : text;

/** A character as `\uXXXX`. */
export function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
