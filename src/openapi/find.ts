import { UsageError } from "../core/errors.ts";
import type { DescribedOperation } from "./described.ts";
import { decoded } from "./document.ts";

/** How a caller names an operation. */
export type Named =
  | { readonly id: string }
  | { readonly method: string; readonly path: string; readonly query: URLSearchParams };

/**
 * Names an operation by its method and its path, which may have a query. Throws `UsageError` if the path is invalid.
 * `name` is what the message calls the path.
 */
export function namedByPath(
  method: string,
  path: string,
  name = "the path",
): Exclude<Named, { readonly id: string }> {
  // Also rejects tabs and line breaks: a URL drops them, so the request would go to a path that was not checked.
  if (/^[a-z][a-z\d+.-]*:|^\/\/|\\|\p{Cc}/iu.test(path)) {
    throw new UsageError(`${name} must be a path such as /v2/on-demand/rental, not ${JSON.stringify(path)}`);
  }
  if (/(^|\/)(\.|%2e){1,2}(\/|[?#]|$)/i.test(path)) {
    throw new UsageError(`${name} must not contain . or .. segments, as ${JSON.stringify(path)} does`);
  }
  const [, plain = "", query = ""] = /^([^?#]*)(?:\?([^#]*))?/.exec(path) ?? [];
  return { method, path: plain.startsWith("/") ? plain : `/${plain}`, query: new URLSearchParams(query) };
}

export interface Found {
  readonly operation: DescribedOperation;
  /** The values of the parameters in the operation's path, taken from the path that the caller gave. */
  readonly pathValues: Readonly<Record<string, string>>;
}

/** The operations with this id. Case is ignored if there is no exact match. */
export function operationsWithId(
  id: string,
  all: readonly DescribedOperation[],
): readonly DescribedOperation[] {
  const exact = all.filter((one) => one.id === id);
  return exact.length > 0 ? exact : all.filter((one) => one.id.toLowerCase() === id.toLowerCase());
}

/**
 * Finds the operation with this method whose path matches. If several match, returns the one with the fewest parameters
 * in its path.
 */
export function operationOfPath(
  { method, path }: { readonly method: string; readonly path: string },
  all: readonly DescribedOperation[],
): Found | undefined {
  const matches = all.flatMap((operation) => {
    const pathValues = operation.method === method ? matchPath(operation.path, path) : undefined;
    return pathValues ? [{ operation, pathValues }] : [];
  });
  return matches.sort((a, b) => Object.keys(a.pathValues).length - Object.keys(b.pathValues).length)[0];
}

export const methodAndPath = ({ method, path }: Pick<DescribedOperation, "method" | "path">): string =>
  `${method} ${path}`;

/**
 * Matches a path against a listed path. Returns the values of the parameters in the listed path, or undefined if the
 * paths do not match.
 */
function matchPath(listed: string, path: string): Readonly<Record<string, string>> | undefined {
  const names = listed.split("/");
  const values = path.split("/");
  if (names.length !== values.length) return undefined;
  const found: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const value = values[index] ?? "";
    const parameter = /^\{(.+)\}$/.exec(name)?.[1];
    if (name === value) continue;
    if (parameter === undefined || value === "") return undefined;
    found[parameter] = decoded(value);
  }
  return found;
}
