import { Document, type Scalar, visit } from "yaml";
import { unicodeEscape } from "./json.ts";

/** No folding, no anchors, and quotes around what an older reader would take for a boolean or a date. */
const options = { compat: "yaml-1.1", aliasDuplicateObjects: false } as const;
const layout = { lineWidth: 0 };

/** What YAML does not allow to stand for itself, what a reader may take for a line end, and what a terminal obeys. */
const marks = "\\x7f-\\x9f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069\\ufeff\\ufffe\\uffff";
const unsafe = new RegExp(`[\\0-\\x08\\x0b-\\x1f${marks}]`);
const unescaped = new RegExp(`[${marks}]`, "g");

/** A value as YAML. It is read back the same, and a terminal obeys nothing of it. */
export function yaml(data: unknown): string {
  const document = new Document(data ?? null, options);
  visit(document, { Scalar: (_key, scalar) => quoteUnsafe(scalar) });
  return document.toString(layout).replace(unescaped, unicodeEscape);
}

function quoteUnsafe(scalar: Scalar): void {
  const { value } = scalar;
  if (typeof value === "string" && (unsafe.test(value) || isRagged(value))) scalar.type = "QUOTE_DOUBLE";
}

/** Several lines with blanks at an end, which are lost where text stands in lines of its own. */
const isRagged = (text: string): boolean => text.includes("\n") && /^[ \t]|[ \t]$/m.test(text);

/** One sequence of records that come by and by. */
export async function* yamlSequence(batches: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let some = false;
  for await (const records of batches) {
    if (records.length > 0) yield yaml(records);
    some ||= records.length > 0;
  }
  if (!some) yield yaml([]);
}
