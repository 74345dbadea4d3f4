/**
 * A value as JSON, indented by two, unchanged: what a terminal would obey is written as `\u` escapes there, which JSON
 * reads as the same text.
 */
export function json(data: unknown, terminal: boolean): string {
  const text = `${JSON.stringify(data, null, 2) ?? "null"}\n`;
  return terminal ? text.replace(/[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, escaped) : text;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
