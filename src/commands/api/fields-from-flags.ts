import type { Context } from "../../command-kit/context.ts";
import { UsageError } from "../../core/errors.ts";
import { isRecord } from "../../core/json.ts";

/** The fields that `-f` and `-F` give. Throws `UsageError` for what cannot be read, and for a missing file. */
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

const words: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };

/** true, false, null and numbers as such, `@FILE` and `-` as the contents of a file or stdin, anything else as text. */
async function read(text: string, key: string, files: Pick<Context["files"], "read">): Promise<unknown> {
  if (Object.hasOwn(words, text)) return words[text];
  if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(text)) return number(text, key);
  if (text === "-") return new TextDecoder().decode(await files.read("-"));
  if (text.startsWith("@")) return new TextDecoder().decode(await files.read(text.slice(1)));
  return text;
}

function number(text: string, key: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || (/^-?\d+$/.test(text) && !Number.isSafeInteger(value))) {
    throw new UsageError(`${key} is too large to be sent exactly as a number: ${text}; -f sends it as text`);
  }
  return value;
}

/** A value with its key, which may lead into other values: `a`, `a[b]`, `a[]`, `a[][b]`. */
interface Entry {
  readonly key: string;
  readonly value: unknown;
}

type Node = Readonly<Record<string, unknown>>;

/**
 * Objects and lists from keys and values, in their order. `a[]` adds to a list; `a[][b]` fills the last object of one,
 * or begins the next when that has a `b`. Throws `UsageError` for a key that cannot be read or is given twice.
 */
function nested(entries: readonly Entry[]): Node {
  return entries.reduce((root, entry) => withField(root, stepsOf(entry.key), entry), empty());
}

/** Without a prototype, so that every name is just a name. */
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

/** What stands at a place once the value is put where the steps lead from there. */
function withValue(before: unknown, steps: readonly string[], entry: Entry): unknown {
  const { key, value } = entry;
  if (steps.length === 0) {
    if (before !== undefined) throw new UsageError(`${key} is given twice; ${key}[] makes a list`);
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

/** Whether there is already a value where the steps lead. */
function isTaken(node: Node, [name = "", ...rest]: readonly string[]): boolean {
  const value = node[name];
  if (rest.length === 0 || rest[0] === "") return rest.length === 0 && value !== undefined;
  return isRecord(value) ? isTaken(value, rest) : value !== undefined;
}

const clash = (key: string): UsageError =>
  new UsageError(
    `${key} conflicts with an earlier field: a field cannot be both a value and a list or object`,
  );
