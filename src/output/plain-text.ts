function isScalar(value: unknown): boolean {
  return value === null || typeof value !== "object";
}

/** True of an array that reads well in one line: nothing in it has parts of its own. */
export function isSimpleList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every(isScalar);
}

/**
 * Any value as text on its own terms: text and numbers as they are, simple lists joined with commas, anything deeper as
 * compact JSON, empty for what is absent. Never throws: what has no text is an ellipsis.
 */
export function plainText(value: unknown): string {
  if (value === undefined || value === null || typeof value === "function") return "";
  if (isSimpleList(value)) return value.map(plainText).join(", ");
  if (typeof value !== "object") return String(value);
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "…";
  }
}
