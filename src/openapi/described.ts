import { asList, asRecord, asText, isRecord } from "../core/json.ts";
import { type Description, resolved } from "./document.ts";

/** An operation of a description. References in its schemas are not resolved. */
export interface DescribedOperation {
  /** The operation id, or the method and path if it has none. */
  readonly id: string;
  /** Uppercase. */
  readonly method: string;
  readonly path: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated: boolean;
  /** True if the operation needs no credential. */
  readonly open: boolean;
  readonly parameters: readonly DescribedParameter[];
  /** Undefined if the operation has no body. The schema is undefined if the body is not JSON. */
  readonly body: { readonly required: boolean; readonly schema: unknown } | undefined;
  readonly responses: readonly DescribedResponse[];
}

export interface DescribedParameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: unknown;
}

export interface DescribedResponse {
  readonly status: string;
  readonly description: string;
  /** The schema of the body. Undefined if the description lists no JSON for it. */
  readonly schema: unknown;
  /** The media types of the body, in lower case. */
  readonly types: readonly string[];
}

/**
 * Whether a response must be JSON, even if its content type says otherwise, because the description gives a JSON schema
 * for it. False if the description lists the content type of the response, which can then be relied on.
 *
 * If the status is not described, another described response is used instead. If no 2xx response is described, this is
 * `default`. Otherwise, it is the first 2xx response with a JSON schema, but only if `type` is not null.
 */
export function isDescribedAsJson(
  { status, type }: { readonly status: number; readonly type: string | null },
  operation: DescribedOperation | undefined,
): boolean {
  const responses = operation?.responses ?? [];
  const successes = responses.filter((one) => /^2/.test(one.status));
  const fallback = successes.length > 0 ? [] : ["default"];
  const [exact] = [String(status), "2XX", ...fallback].flatMap((name) =>
    responses.filter((one) => one.status.toUpperCase() === name.toUpperCase()),
  );
  const others = type === null ? [] : successes;
  const described = exact ?? others.find(({ schema }) => schema !== undefined);
  const own = type?.split(";")[0]?.trim().toLowerCase();
  return described?.schema !== undefined && !(own !== undefined && described.types.includes(own));
}

export const methods = ["get", "head", "post", "put", "patch", "delete", "options", "trace"] as const;

/** Every operation of a description, in order. Malformed entries are skipped. */
export const describedOperations = (description: Description): readonly DescribedOperation[] =>
  Object.entries(description.paths).flatMap(([path, entry]) => {
    const item = resolved(description, entry);
    if (!isRecord(item) || !path.startsWith("/")) return [];
    return methods.flatMap((method) => {
      const operation = resolved(description, item[method]);
      return isRecord(operation) ? [readOperation(description, method, path, operation, item)] : [];
    });
  });

/** The operation with this method and path template. */
export const operationAt = (
  description: Description,
  method: string,
  path: string,
): DescribedOperation | undefined =>
  describedOperations({ ...description, paths: { [path]: description.paths[path] } }).find(
    (operation) => operation.method === method,
  );

/** The first GET operation with a matching path and without required parameters. */
export const listingAt = (description: Description, path: RegExp): DescribedOperation | undefined =>
  describedOperations(description).find(
    (one) => one.method === "GET" && path.test(one.path) && !one.parameters.some(({ required }) => required),
  );

type Members = Readonly<Record<string, unknown>>;

function readOperation(
  description: Description,
  method: string,
  path: string,
  operation: Members,
  item: Members,
): DescribedOperation {
  const responses = Object.entries(asRecord(operation.responses)).map(([status, entry]) => {
    const response = asRecord(resolved(description, entry));
    return {
      status,
      description: asText(response.description),
      schema: jsonSchema(response.content),
      types: Object.keys(asRecord(response.content)).map((type) => type.toLowerCase()),
    };
  });
  const body = resolved(description, operation.requestBody);
  return {
    id: asText(operation.operationId) || `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    tags: asList(operation.tags).filter((tag) => typeof tag === "string"),
    summary: asText(operation.summary),
    description: asText(operation.description),
    deprecated: operation.deprecated === true,
    open: Array.isArray(operation.security) && operation.security.length === 0,
    parameters: parametersOf(description, item, operation),
    body: isRecord(body) ? { required: body.required === true, schema: jsonSchema(body.content) } : undefined,
    responses,
  };
}

/** An operation's own parameters take precedence over those of its path. */
function parametersOf(
  description: Description,
  item: Members,
  operation: Members,
): readonly DescribedParameter[] {
  const all = [...asList(operation.parameters), ...asList(item.parameters)].flatMap((entry) => {
    const parameter = resolved(description, entry);
    if (!isRecord(parameter) || typeof parameter.name !== "string") return [];
    return [
      {
        name: parameter.name,
        in: asText(parameter.in),
        required: parameter.required === true,
        description: asText(parameter.description),
        schema: parameter.schema ?? jsonSchema(parameter.content),
      },
    ];
  });
  return all.filter(
    (one, at) => all.findIndex((other) => other.name === one.name && other.in === one.in) === at,
  );
}

/** The schema of the JSON media type. */
function jsonSchema(content: unknown): unknown {
  const type = Object.entries(asRecord(content)).find(([name]) => /[/+]json\b/i.test(name))?.[1];
  return asRecord(type).schema;
}
