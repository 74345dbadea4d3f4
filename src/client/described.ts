import { type Description, isObject } from "./document.ts";
import { resolved } from "./reference.ts";

/** An operation as a description lists it. Schemas are as they stand, references and all. */
export interface DescribedOperation {
  /** Its operation id; the method and the path where it has none. */
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated: boolean;
  /** It says of itself that it needs no credential. */
  readonly open: boolean;
  readonly parameters: readonly DescribedParameter[];
  readonly body: DescribedBody | undefined;
  readonly responses: readonly DescribedResponse[];
  /** The schema of the JSON of a success. */
  readonly answer: unknown;
}

export interface DescribedParameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: unknown;
}

export interface DescribedBody {
  readonly required: boolean;
  /** Nothing when the body is no JSON. */
  readonly schema: unknown;
}

export interface DescribedResponse {
  readonly status: string;
  readonly description: string;
  readonly schema: unknown;
}

export const methods = ["get", "head", "post", "put", "patch", "delete", "options", "trace"] as const;

/** Every operation that a description lists, in its order. What has no shape that can be read is left out. */
export const describedOperations = (description: Description): readonly DescribedOperation[] =>
  Object.entries(description.paths).flatMap(([path, entry]) => {
    const item = resolved(description, entry);
    if (!isObject(item) || !path.startsWith("/")) return [];
    return methods.flatMap((method) => {
      const operation = resolved(description, item[method]);
      return isObject(operation) ? [readOperation(description, method, path, operation, item)] : [];
    });
  });

/** The operation at a method and a path, as the description writes it. */
export const findPath = (
  description: Description,
  method: string,
  path: string,
): DescribedOperation | undefined =>
  describedOperations({ ...description, paths: { [path]: description.paths[path] } }).find(
    (operation) => operation.method === method,
  );

type Members = Readonly<Record<string, unknown>>;

function readOperation(
  description: Description,
  method: string,
  path: string,
  operation: Members,
  item: Members,
): DescribedOperation {
  const responses = Object.entries(isObject(operation.responses) ? operation.responses : {}).map(
    ([status, entry]): DescribedResponse => {
      const response = members(resolved(description, entry));
      return { status, description: text(response.description), schema: jsonSchema(response.content) };
    },
  );
  const body = resolved(description, operation.requestBody);
  return {
    id: text(operation.operationId) || `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    tags: list(operation.tags).filter((tag) => typeof tag === "string"),
    summary: text(operation.summary),
    description: text(operation.description),
    deprecated: operation.deprecated === true,
    open: Array.isArray(operation.security) && operation.security.length === 0,
    parameters: parametersOf(description, item, operation),
    body: isObject(body) ? { required: body.required === true, schema: jsonSchema(body.content) } : undefined,
    responses,
    answer: responses.find(({ status }) => /^2/.test(status))?.schema,
  };
}

/** An operation's own parameters go before those of its path. */
function parametersOf(
  description: Description,
  item: Members,
  operation: Members,
): readonly DescribedParameter[] {
  const all = [...list(operation.parameters), ...list(item.parameters)].flatMap((entry) => {
    const parameter = resolved(description, entry);
    if (!isObject(parameter) || typeof parameter.name !== "string") return [];
    return [
      {
        name: parameter.name,
        in: text(parameter.in),
        required: parameter.required === true,
        description: text(parameter.description),
        schema: parameter.schema ?? jsonSchema(parameter.content),
      },
    ];
  });
  return all.filter(
    (one, at) => all.findIndex((other) => other.name === one.name && other.in === one.in) === at,
  );
}

/** The schema under a JSON media type. */
function jsonSchema(content: unknown): unknown {
  const type = Object.entries(members(content)).find(([name]) => /[/+]json\b/i.test(name))?.[1];
  return members(type).schema;
}

const members = (value: unknown): Members => (isObject(value) ? value : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
