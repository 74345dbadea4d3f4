/**
 * JavaScript changes some numbers in JSON: `1.50` becomes 1.5, `1e400` becomes Infinity, and whole numbers beyond 2^53
 * are rounded. Parsed values contain plain numbers for computations. This map keeps the original text of each number
 * that changed, by the object or list that contains it, so that the number can be printed as it was received.
 */
const texts = new WeakMap<object, Map<string, string>>();
/** Whether any text has been kept. If not, values are printed without looking for texts. */
let isUsed = false;

let mark: string | undefined;
/**
 * The prefix of a string that holds the text of a number. It is random, so that no service can send it. It is created
 * on first use, because most runs do not need it and `crypto` takes 5 ms to load.
 */
const marker = (): string => (mark ??= `exact${crypto.randomUUID().replaceAll("-", "")}n`);

/**
 * Matches a number that JavaScript may change, and the character before it. Some matches are inside strings, or are
 * numbers that do not change.
 */
const suspicious = /(^|[:,[\s])(-?\d(?:\d*\.\d*0|[\d.]*[eE][+-]?\d+|[\d.]{15,}|\.0{6}\d*)|-0)(?=[\s,\]}]|$)/g;

const changes = (number: string): boolean => String(Number(number)) !== number;

/** Maximum length, in characters, of a text to compare. A copy of a longer text takes too much memory. */
const maxCompared = 1_000_000;

/** Parses JSON and keeps the text of numbers that JavaScript changes. Throws as `JSON.parse` does. */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // For nearly every text, the first check is enough. The second is faster than `withMarks` for a list of fractions.
  if (text.search(suspicious) < 0 || isUnchanged(value, text)) return value;
  const marked = withMarks(text);
  return marked === text ? value : withoutMarks(JSON.parse(marked));
}

/** Whether JavaScript writes the value as the same text again, so that no number has changed. */
function isUnchanged(value: unknown, text: string): boolean {
  try {
    return text.length <= maxCompared && JSON.stringify(value) === text;
  } catch {
    return false; // Nested too deeply.
  }
}

/** Replaces each number that JavaScript changes with a marked string that holds its text. The result is valid JSON. */
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

/**
 * Replaces the marked strings inside a value with numbers, and keeps the texts of these numbers. Not recursive, because
 * a response may be nested too deeply for that.
 */
function withoutMarks(value: unknown): unknown {
  if (isMarked(value)) return Number(textOf(value));
  const left = [value];
  while (left.length > 0) {
    const holder = left.pop();
    if (Array.isArray(holder)) {
      for (let index = 0; index < holder.length; index += 1) {
        const inner: unknown = holder[index];
        if (isMarked(inner)) holder[index] = kept(holder, String(index), textOf(inner));
        else if (isObject(inner)) left.push(inner);
      }
    } else if (isObject(holder)) {
      for (const key of Object.keys(holder)) {
        const inner = holder[key];
        if (isMarked(inner)) holder[key] = kept(holder, key, textOf(inner));
        else if (isObject(inner)) left.push(inner);
      }
    }
  }
  return value;
}

const isMarked = (value: unknown): value is string => typeof value === "string" && value.startsWith(marker());
const textOf = (marked: string): string => marked.slice(marker().length);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Keeps the text of a number, and returns the number. */
function kept(holder: object, key: string, text: string): number {
  isUsed = true;
  const known = texts.get(holder) ?? new Map<string, string>();
  texts.set(holder, known.set(key, text));
  return Number(text);
}

/** The original text of a number in an object or a list. Undefined if JavaScript does not change the number. */
export const exactText = (holder: unknown, key: string): string | undefined =>
  isUsed && typeof holder === "object" && holder !== null ? texts.get(holder)?.get(key) : undefined;

/** Keeps the texts of a record's numbers for a copy of the record, too. Returns the copy. */
export function copyTexts<Copy extends object>(from: object, copy: Copy): Copy {
  const known = isUsed ? texts.get(from) : undefined;
  if (known) texts.set(copy, known);
  return copy;
}

/**
 * Like `JSON.stringify`, but writes each number as it was received. Throws a `RangeError` if the text is too long, or
 * if the value is nested too deeply and there is an `indent`.
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

/**
 * Writes parsed JSON as compact JSON, however deeply it is nested. `JSON.stringify` fails after a few thousand levels.
 * Omits members that are undefined.
 */
function stringifyNested(value: unknown): string {
  const text: string[] = [];
  /** The objects and lists that are not closed yet. A response may open millions of them. */
  const open: Opened[] = [];
  const write = (one: unknown, holder: unknown, key: string | number) => {
    if (!isObject(one)) {
      text.push((typeof one === "number" && exactText(holder, String(key))) || JSON.stringify(one));
      return;
    }
    const keys = Array.isArray(one) ? undefined : Object.keys(one).filter((name) => one[name] !== undefined);
    const length = Array.isArray(one) ? one.length : (keys?.length ?? 0);
    text.push(keys ? "{" : "[");
    open.push({ holder: one, keys, length, next: 0 });
  };
  write(value, undefined, "");
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    const { holder, keys, length, next } = inner;
    if (next === length) {
      text.push(keys ? "}" : "]");
      open.pop();
      continue;
    }
    inner.next += 1;
    const key = keys?.[next] ?? next;
    if (next > 0) text.push(",");
    if (keys) text.push(JSON.stringify(key), ":");
    write(holder[key], holder, key);
  }
  return text.join("");
}

/** An object or a list that is being written. */
interface Opened {
  readonly holder: Readonly<Record<string | number, unknown>>;
  /** Undefined for a list. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  /** The index of the next element. */
  next: number;
}

const quotedMarks = () => new RegExp(`"${marker()}([^"]*)"`, "g");
const bareMarks = () => new RegExp(`${marker()}([-+.\\deE]+)`, "g");

function withMarkedNumbers(this: unknown, key: string, value: unknown): unknown {
  const text = typeof value === "number" ? exactText(this, key) : undefined;
  return text === undefined ? value : marker() + text;
}

/**
 * Prepares a value for a writer that cannot print numbers as they were received, such as a YAML library. Returns a copy
 * with marked strings instead of these numbers, and a function that puts the numbers into the writer's output.
 */
export function exactCopy(value: unknown): {
  readonly value: unknown;
  readonly finish: (text: string) => string;
} {
  if (!isUsed) return { value, finish: (text) => text };
  const marked = JSON.stringify(value, withMarkedNumbers);
  if (marked === undefined || !marked.includes(marker())) return { value, finish: (text) => text };
  return { value: JSON.parse(marked), finish: (text) => text.replace(bareMarks(), "$1") };
}
