import * as z from "zod";
import type { Issue } from "../../contract/check/check.ts";
import type { Operation } from "../../contract/operation.ts";
import { fieldsOf } from "../../contract/plain/fields.ts";
import { canonicalJson, parseJson, valueAt } from "../../core/json.ts";
import { nearest } from "../../core/text.ts";
import { type ServedId, servedOperations } from "../assumed/index.ts";
import { replacementOperations } from "../assumed/replacements.ts";
import { issue } from "../errors.ts";
import { BodyTooLarge, type Exchange } from "../http/exchange.ts";

/**
 * The values that the fields of a request must have, by the dotted paths of the fields, such as
 * `{ gpuType: "b200", "messages.0.role": "user" }`. A string also matches a value of another type whose JSON is the
 * same text: `"2"` matches the number 2.
 */
export const whereInput = z.record(z.string().min(1), z.unknown());

export type Where = z.output<typeof whereInput>;

/** Returns the fields in `where` whose values differ from those in a request, each with its value in the request. */
export const differences = (where: Where, fields: unknown) =>
  Object.entries(where).flatMap(([path, expected]) => {
    const actual = valueAt(fields, path);
    return actual !== undefined && isSame(expected, actual) ? [] : [{ path, actual }];
  });

const isSame = (expected: unknown, actual: unknown): boolean =>
  typeof expected === "string" && typeof actual !== "string"
    ? expected === canonicalJson(actual)
    : canonicalJson(expected) === canonicalJson(actual);

/** Returns an issue if `name` is not the ID of an operation. The words in `more` are accepted, too. */
export function operationIssues(name: string, more: readonly string[] = []): readonly Issue[] {
  const known = Object.keys(servedOperations);
  if (more.includes(name) || known.includes(name)) return [];
  const [near] = nearest(name, known);
  const examples = near ? "" : ` (such as ${known.slice(1, 3).join(" or ")})`;
  const question = near ? `: did you mean ${near}?` : "";
  const expected = [...more, "the ID of an operation"].join(" or ");
  return [issue("operation", `must be ${expected}${examples}, not ${JSON.stringify(name)}${question}`)];
}

const served: readonly Operation<ServedId>[] = Object.values(servedOperations);

/** The deprecated operations that each replacement replaces. */
const replaced = new Map<string, readonly Operation<ServedId>[]>(
  Object.values(replacementOperations).map(({ id, method, path }) => [
    id,
    served.filter(({ replacedBy }) => replacedBy?.method === method && replacedBy.path === path),
  ]),
);

/** The names that select calls of an operation: its ID and, for a replacement, the IDs of the replaced operations. */
export const namesOf = (id: string): readonly string[] => [
  id,
  ...(replaced.get(id) ?? []).map((one) => one.id),
];

/** The operations whose calls a name selects; `*` selects all. */
export const selectedBy = (name: string): readonly Operation<ServedId>[] =>
  served.filter(({ id }) => name === "*" || namesOf(id).includes(name));

/**
 * Whether a name selects a call. `id` is the called operation, and `fields` are the fields of the call. The name of a
 * deprecated operation also selects the calls of its replacement, except those with another `rentalType`.
 */
export const selects = (name: string, id: string | null, fields: unknown): boolean =>
  name === "*" ||
  name === id ||
  (replaced.get(id ?? "") ?? []).some(
    (one) =>
      one.id === name &&
      Object.entries(one.replacedBy?.with ?? {}).every(
        ([field, value]) => (valueAt(fields, field) ?? value) === value,
      ),
  );

/** Whether `selects` needs the fields of a call, because one of these names may select only some calls. */
export const needsFields = (names: readonly string[], id: string): boolean =>
  names.some((name) => name !== "*" && name !== id);

/** The fields of a request, before they are checked. A body that is too large has none. */
export async function fieldsSent({ request, input }: Exchange): Promise<unknown> {
  if (input !== undefined) return input;
  const text = await request.text().catch((error: unknown) => {
    if (error instanceof BodyTooLarge) return "";
    throw error;
  });
  return parseJson(text) ?? {};
}

/**
 * Returns an issue for each field in `where` that no request to these operations has. A body can have fields with any
 * name, so for operations with a body, only names that look misspelled are rejected.
 */
export function fieldIssues(selected: readonly Operation<ServedId>[], where: Where): readonly Issue[] {
  if (selected.length === 0) return [];
  const names = selected.flatMap((operation) => fieldsOf(operation.input)).map(({ name }) => name);
  const takesAny = selected.some((operation) => operation.in === "body");
  return Object.keys(where).flatMap((path) => {
    const [first = ""] = path.split(".");
    const [near] = names.includes(first) ? [] : nearest(first, names);
    if (names.includes(first) || (near === undefined && takesAny)) return [];
    const question = near === undefined ? "" : `: did you mean ${near}?`;
    return [issue("where", `none of the operations has the field ${first}${question}`)];
  });
}
