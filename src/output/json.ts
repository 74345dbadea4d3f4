/**
 * A value as JSON, indented by two, unchanged: what a terminal would obey is written as `\u` escapes there, which JSON
 * reads as the same text.
 */
export function json(data: unknown, terminal: boolean): string {
  return harmless(`${JSON.stringify(data, null, 2) ?? "null"}\n`, terminal);
}

/** The same in one line, without its end. */
export function compactJson(data: unknown, terminal: boolean): string {
  return harmless(JSON.stringify(data) ?? "null", terminal);
}

/** One array of records that come by and by, letter for letter what `json` makes of the whole. */
export async function* jsonArray(
  batches: AsyncIterable<readonly unknown[]>,
  terminal: boolean,
): AsyncGenerator<string> {
  let before = "[";
  for await (const records of batches) {
    let piece = "";
    for (const record of records) {
      const text = JSON.stringify(record, null, 2) ?? "null";
      piece += `${before}\n  ${text.replaceAll("\n", "\n  ")}`;
      before = ",";
    }
    if (piece !== "") yield harmless(piece, terminal);
  }
  yield before === "[" ? "[]\n" : "\n]\n";
}

/** JSON text in which a terminal finds nothing to obey. */
export const harmless = (text: string, terminal: boolean): string =>
  terminal ? text.replace(/[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, unicodeEscape) : text;

/** A character as `\uXXXX`. */
export function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
