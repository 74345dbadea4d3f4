import { Document, type Scalar, visit } from "yaml";
import { unicodeEscape, unseen } from "../core/unseen.ts";
import { exactCopy } from "../core/values/exact-numbers.ts";

/** `compat` quotes what YAML 1.1 readers take for a boolean or a date. */
const options = { compat: "yaml-1.1", aliasDuplicateObjects: false } as const;
const layout = { lineWidth: 0 };

/** Characters that YAML forbids unescaped, that readers may take for a line end, or that terminals interpret. */
const marks = `${unseen}\\ufffe\\uffff`;
const unsafe = new RegExp(`[\\0-\\x08\\x0b-\\x1f${marks}]`);
const unescaped = new RegExp(`[${marks}]`, "g");

/** A value as YAML that reads back equal and holds nothing that a terminal interprets. */
export function yaml(data: unknown): string {
  const { value, finish } = exactCopy(data ?? null);
  const document = new Document(value, options);
  visit(document, { Scalar: (_key, scalar) => quoteUnsafe(scalar) });
  return finish(document.toString(layout).replace(unescaped, unicodeEscape));
}

function quoteUnsafe(scalar: Scalar): void {
  const { value } = scalar;
  if (typeof value !== "string") return;
  // A block scalar would lose blanks at the ends of lines.
  const hasOuterBlanks = value.includes("\n") && /^[ \t]|[ \t]$/m.test(value);
  if (hasOuterBlanks || unsafe.test(value)) scalar.type = "QUOTE_DOUBLE";
}

/** Batches of records as one YAML sequence. */
export async function* yamlSequence(batches: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let isEmpty = true;
  for await (const records of batches) {
    if (records.length === 0) continue;
    isEmpty = false;
    yield yaml(records);
  }
  if (isEmpty) yield yaml([]);
}
