import { UsageError } from "../errors.ts";

/** A value with a name that may lead into others: `a`, `a[b]`, `a[]`, `a[][b]`. */
export interface Named {
  readonly key: string;
  readonly value: unknown;
}

type Node = Record<string, unknown>;

/**
 * Objects and lists from names and values, in their order. `a[]` adds to a list; `a[][b]` fills the last object of one,
 * or begins the next when that has a `b`. Throws `UsageError` for a name that cannot be read or is given twice.
 */
export function nested(values: readonly Named[]): Readonly<Record<string, unknown>> {
  const root = empty();
  for (const { key, value } of values) put(root, stepsOf(key), value, key);
  return root;
}

/** Without a prototype, so that every name is just a name. */
const empty = (): Node => Object.create(null);

function stepsOf(key: string): readonly string[] {
  const [, first, rest] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key) ?? [];
  if (first === undefined || rest === undefined) {
    throw new UsageError(`${JSON.stringify(key)} is no field name: a, a[b], a[] and a[][b] are`);
  }
  return [first, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, step = ""]) => step)];
}

function put(node: Node, [name = "", ...rest]: readonly string[], value: unknown, key: string): void {
  const before = node[name];
  if (rest.length === 0) {
    if (before !== undefined) throw new UsageError(`${key} is given twice; ${key}[] makes a list`);
    node[name] = value;
  } else if (rest[0] === "") {
    node[name] ??= [];
    const list = node[name];
    if (!Array.isArray(list)) throw clash(key);
    add(list, rest.slice(1), value, key);
  } else {
    node[name] ??= empty();
    const inner = node[name];
    if (!isNode(inner)) throw clash(key);
    put(inner, rest, value, key);
  }
}

function add(list: unknown[], rest: readonly string[], value: unknown, key: string): void {
  if (rest.length === 0) {
    if (value !== nothing) list.push(value);
    return;
  }
  if (rest[0] === "") {
    const inner: unknown[] = [];
    list.push(inner);
    add(inner, rest.slice(1), value, key);
    return;
  }
  const last: unknown = list.at(-1);
  if (isNode(last) && !isTaken(last, rest)) {
    put(last, rest, value, key);
    return;
  }
  const next = empty();
  list.push(next);
  put(next, rest, value, key);
}

/** `a[]` without a value is an empty list. */
export const nothing = Symbol("nothing");

/** Whether something stands where the steps lead already. */
function isTaken(node: Node, [name = "", ...rest]: readonly string[]): boolean {
  const value = node[name];
  if (rest.length === 0 || rest[0] === "") return rest.length === 0 && value !== undefined;
  return isNode(value) ? isTaken(value, rest) : value !== undefined;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const clash = (key: string): UsageError =>
  new UsageError(`${key} does not go with what was given before: one name is a value, a list or an object`);
