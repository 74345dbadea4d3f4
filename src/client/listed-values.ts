import { routes } from "../contract/generated/routes.ts";
import type { OperationId } from "../contract/index.ts";
import { type DescribedOperation, findPath } from "./described.ts";
import { type Description, isObject } from "./document.ts";
import { resolved } from "./reference.ts";

/** The way to a value in an input: names of fields, and numbers in lists. */
type Path = readonly (string | number)[];
/** Values that fields have in any case. */
type Fixed = Readonly<Record<string, string>>;

/** Whether a description lists a value for a field of an operation, or for that field of what takes its place. */
export function listsValue(description: Description, id: OperationId, path: Path, value: unknown): boolean {
  const { method, path: place, replacedBy } = routes[id];
  const own = findPath(description, method, place);
  const instead = replacedBy && findPath(description, replacedBy.method, replacedBy.path);
  return (
    (own !== undefined && takes(description, own, path, value)) ||
    (instead !== undefined && takes(description, instead, path, value, replacedBy?.with))
  );
}

function takes(
  description: Description,
  { body, parameters }: DescribedOperation,
  path: Path,
  value: unknown,
  fixed: Fixed = {},
): boolean {
  const [name, ...rest] = path;
  const named = parameters.find((parameter) => parameter.in === "query" && parameter.name === name);
  return [
    ...schemasAt(description, body?.schema, path, fixed),
    ...schemasAt(description, named?.schema, rest, {}),
  ].some((schema) => choicesOf(schema)?.includes(value));
}

/** The schemas that hold for what stands at a path. */
function schemasAt(
  description: Description,
  schema: unknown,
  [step, ...rest]: Path,
  fixed: Fixed,
): readonly unknown[] {
  const all = partsOf(description, schema, fixed);
  if (step === undefined) return all;
  return all.flatMap((part) => below(part, step)).flatMap((inner) => schemasAt(description, inner, rest, {}));
}

function below(part: Readonly<Record<string, unknown>>, step: string | number): readonly unknown[] {
  if (typeof step === "number") return [part.items];
  return isObject(part.properties) && Object.hasOwn(part.properties, step) ? [part.properties[step]] : [];
}

/** A schema and all that it is made of, each once; shapes that a fixed value rules out are none of it. */
function partsOf(
  description: Description,
  schema: unknown,
  fixed: Fixed,
  seen = new Set<unknown>(),
): readonly Readonly<Record<string, unknown>>[] {
  const found = resolved(description, schema);
  if (!isObject(found) || seen.has(found)) return [];
  seen.add(found);
  const shapes = [found.oneOf, found.anyOf].flatMap(list).filter((one) => fits(description, one, fixed));
  const inner = [...list(found.allOf), ...shapes];
  return [found, ...inner.flatMap((part) => partsOf(description, part, fixed, seen))];
}

/** Whether nothing in a shape says that it is for another value. */
const fits = (description: Description, shape: unknown, fixed: Fixed): boolean =>
  Object.entries(fixed).every(([name, value]) => {
    const choices = schemasAt(description, shape, [name], {}).map(choicesOf).filter(isThere);
    return choices.length === 0 || choices.some((some) => some.includes(value));
  });

const choicesOf = (schema: unknown): readonly unknown[] | undefined => {
  if (!isObject(schema)) return undefined;
  if (Array.isArray(schema.enum)) return schema.enum;
  return schema.const === undefined ? undefined : [schema.const];
};

const isThere = <Value>(value: Value | undefined): value is Value => value !== undefined;
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
