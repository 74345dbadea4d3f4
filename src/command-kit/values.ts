import { UsageError } from "../core/errors.ts";
import { invalidChoice } from "../core/text.ts";
import { parseAge, parseWait } from "../core/values/durations.ts";
import { parseCents, parseMoney } from "../core/values/money.ts";

/** The kinds of values that are looked up for shell completion and prompts. */
export type LiveValue = (typeof liveValues)[number];
export const liveValues = [
  "rental",
  "volume",
  "profile",
  "ssh-key",
  "api-key",
  "chat-model",
  "chat-session",
  "lora",
  "operation-field",
] as const;

/** Resources that are named by their id or by their label. */
export type Labelled = Extract<LiveValue, "rental" | "volume">;

/** Whether values of a kind are also named by their labels. */
export const isLabelled = (kind: LiveValue | undefined): kind is Labelled =>
  kind === "rental" || kind === "volume";

/** Whether a word may be a label. Digits alone are always an id. */
export const mayBeLabel = (word: unknown): word is string => typeof word === "string" && /\D/.test(word);

/** How the text of a flag or an argument is parsed. */
export type ValueKind =
  | "boolean"
  | "text"
  | "choice"
  | "number"
  | "integer"
  | "id"
  | "duration"
  | "age"
  | "cents"
  | "dollars"
  | "size"
  | "params";

interface Parsing {
  readonly kind: ValueKind;
  readonly choices?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Parses a text by its kind. Throws a `UsageError` that names the flag or the argument. */
export const parseValue = (parsing: Parsing, text: string, name: string): unknown =>
  parsers[parsing.kind]?.(text, name, parsing) ?? text;

const parsers: Partial<Record<ValueKind, (text: string, name: string, parsing: Parsing) => unknown>> = {
  number: parseNumber,
  integer: parseInteger,
  id: parseId,
  duration: parseWait,
  age: parseAge,
  cents: parseCents,
  dollars: parseMoney,
  size: parseSize,
  params: parseParam,
  choice: parseChoice,
};

function parseChoice(text: string, name: string, { choices }: Parsing): string {
  if (choices?.includes(text) === false) throw new UsageError(invalidChoice(name, choices, text));
  return text;
}

/** Parses an id: as a number if it is a positive whole number that JavaScript represents exactly, otherwise as text. */
export function parseId(text: string): number | string {
  const number = Number(text);
  return /^[1-9]\d*$/.test(text) && Number.isSafeInteger(number) ? number : text;
}

function parseNumber(text: string, name: string): number {
  const number = Number(text);
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) {
    throw new UsageError(`${name} must be a number, not ${JSON.stringify(text)}`);
  }
  if (!Number.isFinite(number)) throw new UsageError(`${name} is too large: ${text}`);
  if (/^[-+]?\d+$/.test(text) && !Number.isSafeInteger(number)) {
    throw new UsageError(`${name} is too large to be sent exactly: ${text}`);
  }
  return number;
}

/**
 * Parses a whole number within its bounds. Without a minimum, accepts any number: such a value is for a field of the
 * operation, and the contract checks it.
 */
function parseInteger(text: string, name: string, { minimum, maximum }: Parsing): number {
  const number = parseNumber(text, name);
  if (minimum === undefined) return number;
  if (Number.isInteger(number) && number >= minimum && number <= (maximum ?? number)) return number;
  const range = maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
  throw new UsageError(`${name} must be a whole number ${range}, not ${JSON.stringify(text)}`);
}

/** `WxH` in pixels. */
function parseSize(text: string, name: string): { width: number; height: number } {
  const match = /^(\d{1,6})x(\d{1,6})$/i.exec(text);
  if (!match) {
    throw new UsageError(`${name} must be WIDTHxHEIGHT such as 1024x1024, not ${JSON.stringify(text)}`);
  }
  return { width: Number(match[1]), height: Number(match[2]) };
}

/** `KEY=JSON`: a field of the request and its value. */
function parseParam(text: string, name: string): Readonly<Record<string, unknown>> {
  const at = text.indexOf("=");
  if (at < 1) throw new UsageError(`${name} must be KEY=JSON such as top_k=40, not ${JSON.stringify(text)}`);
  const value = text.slice(at + 1);
  try {
    return { [text.slice(0, at)]: JSON.parse(value) };
  } catch {
    throw new UsageError(
      `${name} ${text.slice(0, at)}: ${JSON.stringify(value)} is not valid JSON; put quotes around text, as in '${text.slice(0, at)}="${value}"'`,
    );
  }
}
