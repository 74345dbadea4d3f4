import { routes } from "../contract/generated/routes.ts";
import type { OperationId } from "../contract/index.ts";
import { asList, asRecord, isRecord } from "../core/json.ts";
import { operationAt } from "./described.ts";
import { bounded, type Description, resolved, type Schema } from "./document.ts";

/** The path to a value in an input: field names and list indexes. */
type Path = readonly (string | number)[];
/** Fixed values by field name. */
type Fixed = Readonly<Record<string, string>>;

/** Whether a description lists a value among the choices for a field of an operation or of its replacement. */
export function listsValue(description: Description, id: OperationId, path: Path, value: unknown): boolean {
  const { method, path: urlPath, replacedBy } = routes[id];
  const endpoints: readonly Endpoint[] = [{ method, path: urlPath }, ...(replacedBy ? [replacedBy] : [])];
  return bounded(() => endpoints.flatMap((endpoint) => choicesAt(description, endpoint, path))).includes(
    value,
  );
}

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly with?: Fixed;
}

function choicesAt(
  description: Description,
  { method, path: urlPath, with: fixed }: Endpoint,
  path: Path,
): readonly unknown[] {
  const operation = operationAt(description, method, urlPath);
  const [name, ...rest] = path;
  const query = operation?.parameters.find(
    (parameter) => parameter.in === "query" && parameter.name === name,
  );
  return [
    ...schemasAt(description, operation?.body?.schema, path, fixed),
    ...schemasAt(description, query?.schema, rest),
  ].flatMap(choicesOf);
}

/** The schemas that apply to the value at a path. */
function schemasAt(
  description: Description,
  schema: unknown,
  [step, ...rest]: Path,
  fixed: Fixed = {},
): readonly Schema[] {
  const all = partsOf(description, schema, fixed);
  if (step === undefined) return all;
  return all
    .map((part) => (typeof step === "number" ? part.items : asRecord(part.properties)[step]))
    .flatMap((inner) => schemasAt(description, inner, rest));
}

/**
 * A schema and the schemas that it combines with `allOf`, `oneOf` and `anyOf`, each once, without the alternatives that
 * a fixed value excludes.
 */
function partsOf(
  description: Description,
  schema: unknown,
  fixed: Fixed,
  seen = new Set<unknown>(),
): readonly Schema[] {
  const found = resolved(description, schema);
  if (!isRecord(found) || seen.has(found)) return [];
  seen.add(found);
  const alternatives = [found.oneOf, found.anyOf]
    .flatMap(asList)
    .filter((one) => allows(description, one, fixed));
  const inner = [...asList(found.allOf), ...alternatives];
  return [found, ...inner.flatMap((part) => partsOf(description, part, fixed, seen))];
}

/** Whether an alternative is compatible with the fixed values. */
const allows = (description: Description, alternative: unknown, fixed: Fixed): boolean =>
  Object.entries(fixed).every(([name, value]) => {
    const choices = schemasAt(description, alternative, [name]).flatMap(choicesOf);
    return choices.length === 0 || choices.includes(value);
  });

const choicesOf = (schema: Schema): readonly unknown[] =>
  schema.const === undefined ? asList(schema.enum) : [schema.const];
