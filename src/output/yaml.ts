import { Document, type Scalar, visit } from "yaml";
import { isRecord } from "../core/json.ts";
import { unicodeEscape, unseen } from "../core/unseen.ts";
import { exactCopy, exactText } from "../core/values/exact-numbers.ts";

/** `compat` quotes text that YAML 1.1 readers would read as a boolean or a date. */
const options = { compat: "yaml-1.1", aliasDuplicateObjects: false } as const;
const layout = { lineWidth: 0 };

/**
 * Characters that YAML forbids unless they are escaped, that readers may treat as a line end, or that terminals
 * interpret.
 */
const marks = `${unseen}\\ufffe\\uffff`;
const unsafe = new RegExp(`[\\0-\\x08\\x0b-\\x1f${marks}]`);
const unescaped = new RegExp(`[${marks}]`, "g");

/** Writes a value as YAML. A reader gets an equal value, and the text is safe to print on a terminal. */
export function yaml(data: unknown): string {
  const { value, finish } = exactCopy(data ?? null);
  const document = new Document(value, options);
  visit(document, { Scalar: (_key, scalar) => quoteUnsafe(scalar) });
  return finish(document.toString(layout).replace(unescaped, unicodeEscape));
}

function quoteUnsafe(scalar: Scalar): void {
  const { value } = scalar;
  if (typeof value !== "string") return;
  // A block scalar would lose spaces and tabs at the start or end of a line.
  const hasOuterBlanks = value.includes("\n") && /^[ \t]|[ \t]$/m.test(value);
  if (hasOuterBlanks || unsafe.test(value)) scalar.type = "QUOTE_DOUBLE";
}

/**
 * Matches words, host names, email addresses and paths. Such text needs no quotes anywhere in YAML, unless it is
 * `reserved`, because it starts with a letter and contains no character with a special meaning.
 */
const plainWords = /^[A-Za-z][\w./@-]*(?: [\w./@-]+)*$/;
/** Matches words that YAML readers would not read as text. */
const reserved = /^(?:true|false|yes|no|on|off|null|y|n|e[-+]?\d+)$/i;
/** Matches timestamps, which are quoted. */
const timestamp = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d(?::?\d\d)?)?$/;
const digits = /^\d{1,15}$/;
const address = /^\d+(?:\.\d+){3}$/;
const maxPlainLength = 200;

const isPlain = (text: string): boolean =>
  text.length <= maxPlainLength && plainWords.test(text) && !reserved.test(text);

/** Writes simple values as lines of YAML with this indent, exactly as the library does. Undefined for other values. */
function simpleLines(value: unknown, holder: unknown, key: string, indent: string): string | undefined {
  if (Array.isArray(value)) {
    if (value.length === 0) return " []\n";
    let lines = "\n";
    for (let index = 0; index < value.length; index += 1) {
      const inner = value[index];
      const text = simpleLines(inner, value, String(index), `${indent}  `);
      if (text === undefined) return undefined;
      lines += `${indent}-${isNonEmpty(inner) ? ` ${text.trimStart()}` : text}`;
    }
    return lines;
  }
  if (isRecord(value)) {
    const keys = Object.keys(value);
    if (keys.length === 0) return " {}\n";
    let lines = "\n";
    for (const name of keys) {
      if (!isPlain(name)) return undefined;
      const text = simpleLines(value[name], value, name, `${indent}  `);
      if (text === undefined) return undefined;
      lines += `${indent}${name}:${text}`;
    }
    return lines;
  }
  const text = simpleScalar(value, holder, key);
  return text === undefined ? undefined : ` ${text}\n`;
}

const isNonEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0;

function simpleScalar(value: unknown, holder: unknown, key: string): string | undefined {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return exactText(holder, key) ?? String(value);
  if (typeof value !== "string" || value.includes("\n")) return undefined;
  if (isPlain(value) || address.test(value)) return value;
  return timestamp.test(value) || digits.test(value) ? `"${value}"` : yaml([value]).slice(2, -1);
}

/**
 * Writes a record as an item of a sequence. The library takes many times as long, so it is used only for records and
 * texts that are not simple.
 */
function item(record: unknown, holder: unknown, key: string): string {
  const lines = simpleLines(record, holder, key, "  ");
  if (lines === undefined) return yaml([record]);
  return isNonEmpty(record) ? `- ${lines.trimStart()}` : `-${lines}`;
}

/** Writes batches of records as one YAML sequence. */
export async function* yamlSequence(batches: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let isEmpty = true;
  for await (const records of batches) {
    if (records.length === 0) continue;
    isEmpty = false;
    yield records.map((record, index) => item(record, records, String(index))).join("");
  }
  if (isEmpty) yield yaml([]);
}
