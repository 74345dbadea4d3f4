import { routes } from "../contract/generated/routes.ts";
import type { OperationId } from "../contract/index.ts";
import { isRecord } from "../core/json.ts";
import { type DescribedOperation, findPath } from "./described.ts";
import { type Description, resolved } from "./document.ts";

/** The path to a value in an input: field names and list indexes. */
type Path = readonly (string | number)[];
/** Fields with a fixed value. */
type Fixed = Readonly<Record<string, string>>;

/** Whether a description allows a value for a field of an operation or of its replacement. */
export function listsValue(description: Description, id: OperationId, path: Path, value: unknown): boolean {
  const { method, path: urlPath, replacedBy } = routes[id];
  const own = findPath(description, method, urlPath);
  const replacement = replacedBy && findPath(description, replacedBy.method, replacedBy.path);
  return (
    (own !== undefined && accepts(description, own, path, value)) ||
    (replacement !== undefined && accepts(description, replacement, path, value, replacedBy?.with))
  );
}

function accepts(
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

/** The schemas that apply to the value at a path. */
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
  return isRecord(part.properties) && Object.hasOwn(part.properties, step) ? [part.properties[step]] : [];
}

/** A schema and its subschemas, each once, without the alternatives that a fixed value excludes. */
function partsOf(
  description: Description,
  schema: unknown,
  fixed: Fixed,
  seen = new Set<unknown>(),
): readonly Readonly<Record<string, unknown>>[] {
  const found = resolved(description, schema);
  if (!isRecord(found) || seen.has(found)) return [];
  seen.add(found);
  const alternatives = [found.oneOf, found.anyOf]
    .flatMap(list)
    .filter((one) => allows(description, one, fixed));
  const inner = [...list(found.allOf), ...alternatives];
  return [found, ...inner.flatMap((part) => partsOf(description, part, fixed, seen))];
}

/** Whether an alternative is compatible with the fixed values. */
const allows = (description: Description, alternative: unknown, fixed: Fixed): boolean =>
  Object.entries(fixed).every(([name, value]) => {
    const choices = schemasAt(description, alternative, [name], {}).map(choicesOf).filter(isDefined);
    return choices.length === 0 || choices.some((some) => some.includes(value));
  });

const choicesOf = (schema: unknown): readonly unknown[] | undefined => {
  if (!isRecord(schema)) return undefined;
  if (Array.isArray(schema.enum)) return schema.enum;
  return schema.const === undefined ? undefined : [schema.const];
};

const isDefined = <Value>(value: Value | undefined): value is Value => value !== undefined;
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
