import type { Context } from "../../command-kit/context.ts";
import { UsageError } from "../../core/errors.ts";
import { isRecord } from "../../core/json.ts";
import { readText } from "../../core/text.ts";

/**
 * Builds the fields of a request from `-f` and `-F`. Throws `UsageError` for an invalid value or a file that cannot be
 * read.
 */
export async function fieldsFromFlags(
  { rawField, field }: { readonly rawField: readonly string[]; readonly field: readonly string[] },
  files: Pick<Context["files"], "read">,
): Promise<Readonly<Record<string, unknown>>> {
  const entries: Entry[] = rawField.map((text) => split(text, "-f"));
  for (const text of field) {
    const { key, value } = split(text, "-F");
    entries.push({ key, value: typeof value === "string" ? await read(value, key, files) : value });
  }
  return nested(entries);
}

function split(text: string, flag: string): Entry {
  const at = text.indexOf("=");
  if (at > 0) return { key: text.slice(0, at), value: text.slice(at + 1) };
  if (at < 0 && text.endsWith("[]")) return { key: text, value: noValue };
  throw new UsageError(`${flag} must be KEY=VALUE such as label=train, not ${JSON.stringify(text)}`);
}

const literals: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };

/**
 * Parses a value of `-F`. true, false, null and numbers become JSON values. `@FILE` is replaced by the contents of the
 * file, and `-` by those of stdin. Anything else is text.
 */
async function read(text: string, key: string, files: Pick<Context["files"], "read">): Promise<unknown> {
  if (Object.hasOwn(literals, text)) return literals[text];
  if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(text)) return number(text, key);
  if (text === "-") return readText("-", "-F", files);
  if (text.startsWith("@")) return readText(text.slice(1), `-F ${key}`, files);
  return text;
}

function number(text: string, key: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || (/^-?\d+$/.test(text) && !Number.isSafeInteger(value))) {
    throw new UsageError(`${key} is too large to be sent exactly as a number: ${text}; -f sends it as text`);
  }
  return value;
}

/** A value with its key, which may be a path into objects and lists: `a`, `a[b]`, `a[]`, `a[][b]`. */
interface Entry {
  readonly key: string;
  readonly value: unknown;
}

type Node = Readonly<Record<string, unknown>>;

/**
 * Builds objects and lists from entries, in the given order. `a[]` appends to a list. `a[][b]` sets `b` in the last
 * item of a list. If that item is not an object, or already has a `b`, appends a new object. Throws `UsageError` for an
 * invalid key, and for a key that conflicts with an earlier one.
 */
function nested(entries: readonly Entry[]): Node {
  return entries.reduce((root, entry) => withField(root, stepsOf(entry.key), entry), empty());
}

/** An object without a prototype, so that a name such as `__proto__` is an ordinary key. */
const empty = (): Node => Object.create(null);

function stepsOf(key: string): readonly string[] {
  const [, first, rest] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key) ?? [];
  if (first === undefined || rest === undefined) {
    throw new UsageError(`${JSON.stringify(key)} is not a field name such as a, a[b], a[] or a[][b]`);
  }
  return [first, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, step = ""]) => step)];
}

function withField(node: Node, [name = "", ...rest]: readonly string[], entry: Entry): Node {
  return Object.assign(empty(), node, { [name]: withValue(node[name], rest, entry) });
}

/** Returns `before` with the entry's value set at the path `steps` inside it. */
function withValue(before: unknown, steps: readonly string[], entry: Entry): unknown {
  const { key, value } = entry;
  if (steps.length === 0) {
    if (typeof before === "object" && before !== null) throw clash(key);
    if (before !== undefined) throw new UsageError(`${key} is given twice; to send a list, use ${key}[]`);
    return value;
  }
  const inner = before ?? (steps[0] === "" ? [] : empty());
  if (steps[0] !== "") {
    if (!isRecord(inner)) throw clash(key);
    return withField(inner, steps, entry);
  }
  if (!Array.isArray(inner)) throw clash(key);
  const rest = steps.slice(1);
  if (rest.length === 0 && value === noValue) return inner;
  const last: unknown = inner.at(-1);
  const fillsLast = rest.length > 0 && rest[0] !== "" && isRecord(last) && !isTaken(last, rest);
  return fillsLast
    ? [...inner.slice(0, -1), withField(last, rest, entry)]
    : [...inner, withValue(undefined, rest, entry)];
}

/** `a[]` without a value is an empty list. */
const noValue = Symbol("no value");

/**
 * Whether a node already has a value at a path, or a value on the way to it that is not an object. A value where the
 * path continues with `[]` does not count, because a list can take more items.
 */
function isTaken(node: Node, [name = "", ...rest]: readonly string[]): boolean {
  const value = node[name];
  if (rest.length === 0 || rest[0] === "") return rest.length === 0 && value !== undefined;
  return isRecord(value) ? isTaken(value, rest) : value !== undefined;
}

const clash = (key: string): UsageError =>
  new UsageError(
    `${key} conflicts with an earlier field: a field cannot be both a value and a list or object`,
  );
