/**
 * JavaScript changes some numbers of JSON: `1.50` to 1.5, `1e400` to Infinity, and whole numbers beyond 2^53 to a
 * neighbor. Values keep plain numbers to compute with; the text of those that change is kept here, by the object or list
 * that holds them, so that they are printed as they were received.
 */
const texts = new WeakMap<object, Map<string, string>>();
/** Whether any text was kept: else values are printed without looking for one. */
let isUsed = false;

let mark: string | undefined;
/** Marks the text of a number in a string. No service can know it. Most runs need none, and `crypto` takes 2 ms to load. */
const marker = (): string => (mark ??= `exact${crypto.randomUUID().replaceAll("-", "")}n`);

/** What is in front of a number that may change, and the number. Some of them are in strings, or do not change. */
const suspicious = /(^|[:,[\s])(-?\d(?:\d*\.\d*0|[\d.]*[eE][+-]?\d+|[\d.]{15,}|\.0{6}\d*)|-0)(?=[\s,\]}]|$)/g;

const changes = (number: string): boolean => String(Number(number)) !== number;

/** In characters: a copy of a longer text takes too much memory. */
const maxCompared = 1_000_000;

/** Parses JSON and keeps the text of numbers that JavaScript changes. Throws as `JSON.parse` does. */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (isUnchanged(value, text)) return value;
  const marked = withMarks(text);
  return marked === text ? value : withoutMarks(JSON.parse(marked));
}

/** Whether JavaScript writes the same text again, as for most compact JSON. Finding numbers that change takes longer. */
function isUnchanged(value: unknown, text: string): boolean {
  try {
    return text.length <= maxCompared && JSON.stringify(value) === text;
  } catch {
    return false; // Nested too deeply.
  }
}

/** Valid JSON in which the numbers that change are strings with their text. */
function withMarks(text: string): string {
  let marked = "";
  let copied = 0;
  let afterStrings = 0;
  for (const { 1: before = "", 2: number = "", index: start } of text.matchAll(suspicious)) {
    const index = start + before.length;
    for (let quote = text.indexOf('"', afterStrings); quote >= 0 && quote < index; ) {
      afterStrings = endOfString(text, quote);
      quote = text.indexOf('"', afterStrings);
    }
    if (afterStrings > index || !changes(number)) continue;
    marked += `${text.slice(copied, index)}"${marker()}${number}"`;
    copied = index + number.length;
  }
  return marked + text.slice(copied);
}

/** The position after the string that begins at a quote. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
}

/** Replaces the marked strings inside a value by numbers, and keeps their texts. */
function withoutMarks(value: unknown): unknown {
  if (isMarked(value)) return Number(textOf(value));
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const inner: unknown = value[index];
      value[index] = withoutMarks(inner);
      if (isMarked(inner)) keep(value, String(index), textOf(inner));
    }
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const inner = value[key];
      value[key] = withoutMarks(inner);
      if (isMarked(inner)) keep(value, key, textOf(inner));
    }
  }
  return value;
}

const isMarked = (value: unknown): value is string => typeof value === "string" && value.startsWith(marker());
const textOf = (marked: string): string => marked.slice(marker().length);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

function keep(holder: object, key: string, text: string): void {
  isUsed = true;
  const known = texts.get(holder) ?? new Map<string, string>();
  texts.set(holder, known.set(key, text));
}

/** The text of a number that JavaScript changes, by the object or list that holds it. */
export const exactText = (holder: unknown, key: string): string | undefined =>
  isUsed && typeof holder === "object" && holder !== null ? texts.get(holder)?.get(key) : undefined;

/** Gives a copy of a record the texts of the original. */
export function copyTexts<Copy extends object>(from: object, copy: Copy): Copy {
  const known = isUsed ? texts.get(from) : undefined;
  if (known) texts.set(copy, known);
  return copy;
}

/**
 * `JSON.stringify` with each number as it was received. Throws a `RangeError` for a text that is too long, and with an
 * `indent` for a value that is nested too deeply.
 */
export function stringifyExactly(value: unknown, indent?: number): string | undefined {
  try {
    return isUsed
      ? JSON.stringify(value, withMarkedNumbers, indent)?.replace(quotedMarks(), "$1")
      : JSON.stringify(value, null, indent);
  } catch (error) {
    if (indent !== undefined || !(error instanceof RangeError)) throw error;
    return stringifyNested(value);
  }
}

/** Parsed JSON as compact JSON, however deeply it is nested. `JSON.stringify` fails after a few thousand levels. */
function stringifyNested(value: unknown): string {
  const text: string[] = [];
  /** Text to write, and values with the object or list that holds them. */
  const left: (string | { readonly value: unknown; readonly holder: unknown; readonly key: string })[] = [
    { value, holder: undefined, key: "" },
  ];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === "string") {
      text.push(next);
      continue;
    }
    const { value: one, holder, key } = next;
    if (typeof one !== "object" || one === null) {
      text.push(exactText(holder, key) ?? JSON.stringify(one));
      continue;
    }
    const isList = Array.isArray(one);
    const parts = Object.entries(one).flatMap(([name, inner], at): typeof left => [
      `${at === 0 ? "" : ","}${isList ? "" : `${JSON.stringify(name)}:`}`,
      { value: inner, holder: one, key: name },
    ]);
    text.push(isList ? "[" : "{");
    left.push(isList ? "]" : "}", ...parts.reverse());
  }
  return text.join("");
}

const quotedMarks = () => new RegExp(`"${marker()}([^"]*)"`, "g");
const bareMarks = () => new RegExp(`${marker()}([-+.\\deE]+)`, "g");

function withMarkedNumbers(this: unknown, key: string, value: unknown): unknown {
  const text = typeof value === "number" ? exactText(this, key) : undefined;
  return text === undefined ? value : marker() + text;
}

/** A copy for a writer that cannot print numbers as text, and what turns its output into the wanted text. */
export function exactCopy(value: unknown): {
  readonly value: unknown;
  readonly finish: (text: string) => string;
} {
  if (!isUsed) return { value, finish: (text) => text };
  const marked = JSON.stringify(value, withMarkedNumbers);
  if (marked === undefined || !marked.includes(marker())) return { value, finish: (text) => text };
  return { value: JSON.parse(marked), finish: (text) => text.replace(bareMarks(), "$1") };
}
