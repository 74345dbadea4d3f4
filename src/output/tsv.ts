import type { Writer } from "./separated.ts";

const escapes: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\" };

/** Rows with tabs between the values; a tab, a line end and a backslash in a value are escaped as jq's `@tsv` does. */
export const tsv: Writer = (rows) =>
  rows
    .map(
      (row) => `${row.map((text) => text.replace(/[\t\n\r\\]/g, (one) => escapes[one] ?? one)).join("\t")}\n`,
    )
    .join("");
