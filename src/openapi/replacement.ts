import { routes } from "../contract/generated/routes.ts";
import type { OperationId } from "../contract/index.ts";
import type { Route } from "../contract/plain/route.ts";
import { asRecord, isRecord } from "../core/json.ts";
import { type DescribedOperation, operationAt } from "./described.ts";
import { bounded, type Description, membersOf, resolved } from "./document.ts";
import { canPage, isTokenName, type Paging, pagingOf } from "./paging.ts";

/** The request that replaces a deprecated one, and how its response is paged. */
export interface ReplacementRequest {
  readonly parts: Pick<Route, "method" | "path" | "host"> & {
    readonly query?: readonly (readonly [string, string])[];
    /** JSON. */
    readonly body?: string;
  };
  readonly paging?: Paging;
}

/** Whether an operation may have a replacement in the description. */
export const mayBeReplaced = (id: OperationId): boolean => {
  const { deprecated, replacedBy, sunset } = routes[id];
  return deprecated === true && replacedBy !== undefined && sunset === undefined;
};

/**
 * Returns the request that replaces a deprecated operation, if the description lists the replacement. Some replacements
 * return a list in pages, while the deprecated operation returns the whole list at once. Such a replacement is used if
 * gpuctl can request all pages and the replacement has a parameter for every field of the input. It is also used if the
 * deprecated operation is not listed or is `gone`.
 */
export function replacementOf(
  id: OperationId,
  input: object,
  description: Description | undefined,
  gone = false,
): ReplacementRequest | undefined {
  const { replacedBy, host, method, path } = routes[id];
  const listed = description && replacedBy && operationAt(description, replacedBy.method, replacedBy.path);
  if (!listed || !replacedBy) return undefined;
  const request = { method: replacedBy.method, path: replacedBy.path, host };
  const fields = { ...input, ...replacedBy.with };
  if (!replacedBy.paged) return { parts: { ...request, body: JSON.stringify(fields) } };
  const paging = pagingOf(listed.parameters.map(({ name }) => name));
  const result = listed.responses.find(({ status }) => /^2/.test(status));
  const names = bounded(() => memberNames(description, result?.schema));
  const suitable = canPage(names, paging) && accepts(listed, Object.keys(input));
  if (!suitable && !gone && operationAt(description, method, path)) return undefined;
  const query = Object.entries({ ...fields, ...pageSize(listed, description) }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  const hasToken = paging.cursor !== undefined && names.some(isTokenName);
  return { parts: { ...request, query }, paging: { ...paging, hasToken } };
}

const sizeParameter = /^(limit|page_?size|per_?page)$/i;

/** The largest page to ask for. A service may allow more than it can return in time. */
const largestPage = 1000;

/**
 * The query parameter for the largest pages that the description allows, up to `largestPage`. Empty if the description
 * names no maximum.
 */
function pageSize({ parameters }: DescribedOperation, description: Description): Record<string, unknown> {
  const parameter = parameters.find(({ name }) => sizeParameter.test(name));
  const { maximum } = asRecord(resolved(description, parameter?.schema));
  return parameter && typeof maximum === "number" && Number.isInteger(maximum) && maximum > 0
    ? { [parameter.name]: Math.min(maximum, largestPage) }
    : {};
}

const accepts = ({ parameters }: DescribedOperation, names: readonly string[]): boolean =>
  names.every((name) => parameters.some((parameter) => parameter.name === name));

/** The maximum depth at which members of a response are searched. */
const maxResponseDepth = 3;

/** The member names of an object and its nested objects; none for a list. */
function memberNames(description: Description, schema: unknown, depth = 0): readonly string[] {
  const found = resolved(description, schema);
  if (!isRecord(found) || found.type === "array" || depth > maxResponseDepth) return [];
  return Object.entries(membersOf(description, found).properties).flatMap(([name, property]) => [
    name,
    ...memberNames(description, property, depth + 1),
  ]);
}
