import { type OperationId, operations } from "../../src/contract/index.ts";
import { documentedInputOf } from "../../src/contract/operation.ts";
import type { Field, FieldKind, Item, Limits } from "../../src/contract/plain/field.ts";
import { fieldsOf } from "../../src/contract/plain/fields.ts";
import { brokenRules } from "./broken-rules.ts";
import { validInput, validShape, validValue } from "./valid-inputs.ts";

/** An input that breaks one limit of an operation and no other. */
export interface NegativeInput {
  readonly operation: OperationId;
  /** The field that is wrong; empty when a rule across fields is broken. */
  readonly path: readonly (string | number)[];
  /** The name of the limit or of another requirement, such as `required` or `calendar`, or the id of the rule. */
  readonly limit: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** An invalid value at a path within an input. Without `value`, the field is omitted. */
interface Break {
  readonly path: readonly (string | number)[];
  readonly limit: string;
  readonly value?: unknown;
}

/** One input for each limit of each field of an operation and for each of its rules, derived from the contract. */
export function negativeInputs(operation: OperationId): readonly NegativeInput[] {
  const base = validInput(operation);
  const { rules = [] } = operations[operation];
  return [
    ...fieldsOf(documentedInputOf(operations[operation]))
      .flatMap(breaksOf)
      .map(({ path, limit, value }) => ({ operation, path, limit, input: put(base, path, value) })),
    ...rules.map(({ id }) => ({ operation, path: [], limit: id, input: { ...base, ...brokenRule(id) } })),
  ];
}

function brokenRule(id: string): Record<string, unknown> {
  const broken = brokenRules[id];
  if (!broken) throw new Error(`No input breaks the rule ${id}: add one to broken-rules.ts`);
  return broken;
}

/** Sets the first field of a path. The value contains the rest of the path. Without a value, removes the field. */
function put(base: Record<string, unknown>, [name]: Break["path"], value: unknown): Record<string, unknown> {
  const { [String(name)]: _, ...others } = base;
  return value === undefined ? others : { ...others, [String(name)]: value };
}

function breaksOf(field: Field): Break[] {
  const path = [field.name];
  return [
    ...(field.required ? [{ path, limit: "required" }] : []),
    ...valueBreaks(field).map((broken) => ({ ...broken, path })),
    ...itemBreaks(field),
    ...(field.shapes ?? []).flatMap((shape) => shapeBreaks(field.name, shape)),
  ];
}

/** Inputs with one wrong item in a list, or with one wrong value in a map. */
function itemBreaks({ name, kind, item }: Field): Break[] {
  if (!item) return [];
  const key = kind === "map" ? (Object.keys(Object(validValue({ kind, item })))[0] ?? "") : 0;
  const broken = [
    ...valueBreaks(item).map((wrong) => ({ ...wrong, path: [key] })),
    ...(item.fields ? shapeBreaks(key, item.fields) : []),
  ];
  return broken.map(({ path, limit, value }) => ({
    path: [name, ...path],
    limit,
    value: kind === "map" ? { [String(key)]: value } : [value],
  }));
}

function shapeBreaks(name: string | number, shape: readonly Field[]): Break[] {
  const base = validShape(shape);
  return shape
    .flatMap(breaksOf)
    .map(({ path, limit, value }) => ({ path: [name, ...path], limit, value: put(base, path, value) }));
}

type Wrong = Pick<Break, "limit" | "value">;

/** A wrong value for each limit that a field or an item has, and for each requirement of its kind. */
function valueBreaks(item: Item): Wrong[] {
  const limits = Object.entries(breakers)
    .filter(([limit]) => item[limit as keyof Limits] !== undefined)
    .map(([limit, breaker]) => ({ limit, value: breaker(item) }));
  return [...limits, ...(kindBreaks[item.kind] ?? [])];
}

/** Values that break a requirement of the field's kind, such as that an ID is above zero, but no limit of the field. */
const kindBreaks: Partial<Record<FieldKind, readonly Wrong[]>> = {
  boolean: [{ limit: "boolean", value: "maybe" }],
  number: [{ limit: "number", value: "many" }],
  integer: [{ limit: "integer", value: 257.5 }],
  id: [
    { limit: "id above zero", value: 0 },
    { limit: "id at most 9007199254740991", value: 2 ** 53 },
    { limit: "id of at least 1 character", value: "" },
  ],
  "date-time": [
    { limit: "calendar", value: "2026-02-30T00:00:00Z" },
    { limit: "offset", value: "2026-12-31T00:00:00" },
  ],
};

const breakers: Record<keyof Limits, (item: Item) => unknown> = {
  choices: () => "none-of-these",
  constant: () => "neither",
  minimum: ({ minimum = 0, multipleOf = 1 }) => (Math.ceil(minimum / multipleOf) - 1) * multipleOf,
  maximum: ({ maximum = 0, multipleOf = 1 }) => (Math.floor(maximum / multipleOf) + 1) * multipleOf,
  exclusiveMinimum: ({ exclusiveMinimum }) => exclusiveMinimum,
  exclusiveMaximum: ({ exclusiveMaximum }: Item) => exclusiveMaximum,
  multipleOf: ({ multipleOf = 1 }) => multipleOf + 1,
  minLength: ({ minLength = 0 }) => "a".repeat(minLength - 1),
  maxLength: ({ maxLength = 0 }) => "a".repeat(maxLength + 1),
  minItems: ({ minItems = 0 }) => items(minItems - 1),
  maxItems: ({ maxItems = 0 }) => items(maxItems + 1),
  pattern: ({ pattern = "" }) => unmatched(pattern),
};

/** A list of ones, which are valid as numbers and as IDs. */
const items = (length: number): number[] => Array.from({ length }, () => 1);

function unmatched(pattern: string): string {
  const found = ["! !!!!!!", "aaaaaaaa", "00000000"].find((text) => !new RegExp(pattern).test(text));
  if (found === undefined) throw new Error(`No sample text violates ${pattern}: add one to negative.ts`);
  return found;
}
