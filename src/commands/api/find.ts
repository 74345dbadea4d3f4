import { type ArgValues, arg } from "../../command-kit/arg.ts";
import { NotOffered, UsageError } from "../../core/errors.ts";
import { nearest } from "../../core/text.ts";
import { type DescribedOperation, describedOperations, methods } from "../../openapi/described.ts";
import { type Description, decoded } from "../../openapi/document.ts";

/** The arguments that name an operation. */
export const operationArgs = [
  arg.text("OPERATION", "Operation ID such as getRental, or a method such as GET followed by a path", {
    required: true,
  }),
  arg.text("PATH", "Path such as /v2/on-demand/rental, after a method"),
] as const;

/** How the arguments name an operation. */
export type Named =
  | { readonly id: string }
  | { readonly method: string; readonly path: string; readonly query: URLSearchParams };

/**
 * Parses the arguments that name an operation. Throws `UsageError` for a method without a path, a path without a
 * method, or an invalid path.
 */
export function namedBy({ operation: first, path }: ArgValues<typeof operationArgs>): Named {
  const method = first.toUpperCase();
  const isMethod = methods.some((known) => known.toUpperCase() === method);
  if (path === undefined) {
    if (isMethod) throw new UsageError(`${method} needs a path, such as ${method} /v2/on-demand/rental`);
    if (first.startsWith("/")) throw new UsageError(`a path needs a method before it, such as GET ${first}`);
    return { id: first };
  }
  if (!isMethod) {
    throw new UsageError(
      `${JSON.stringify(first)} is not a method: use one of ${methods.join(", ").toUpperCase()}`,
    );
  }
  if (/^[a-z][a-z\d+.-]*:|^\/\/|\\/i.test(path)) {
    throw new UsageError(`PATH must be a path such as /v2/on-demand/rental, not ${JSON.stringify(path)}`);
  }
  if (/(^|\/)(\.|%2e){1,2}(\/|[?#]|$)/i.test(path)) {
    throw new UsageError(`PATH must not contain . or .. segments, as ${JSON.stringify(path)} does`);
  }
  const [, plain = "", query = ""] = /^([^?#]*)(?:\?([^#]*))?/.exec(path) ?? [];
  return { method, path: plain.startsWith("/") ? plain : `/${plain}`, query: new URLSearchParams(query) };
}

/** The names most similar to a word: by spelling, else those that contain it. */
export function similar(word: string, names: readonly string[]): readonly string[] {
  const near = nearest(word, names);
  const contains = (name: string) => name.toLowerCase().includes(word.toLowerCase());
  return near.length > 0 || word.length < 3 ? near : names.filter(contains).slice(0, 3);
}

/** A "Did you mean" hint with a trailing space, to put before another hint; empty when no name is similar. */
export function suggestionHint(word: string, names: readonly string[]): string {
  const like = similar(word, names);
  return like.length > 0 ? `Did you mean ${like.join(", ")}? ` : "";
}

export interface Found {
  readonly operation: DescribedOperation;
  /** The values that the given path has for the parameters of the listed path. */
  readonly pathValues: Readonly<Record<string, string>>;
}

/**
 * Finds an operation in a description; undefined for a method and path that are not listed. Throws `NotOffered` for an
 * unknown id, and `UsageError` for an id that several operations have.
 */
export function findOperation(named: Named, description: Description): Found | undefined {
  const all = describedOperations(description);
  if ("id" in named) {
    const found = operationsWithId(named.id, all);
    if (found.length > 1) {
      throw new UsageError(`several operations are called ${named.id}`, {
        hint: `Use the method and the path: ${found.map(methodAndPath).join(", or ")}.`,
      });
    }
    if (found[0]) return { operation: found[0], pathValues: {} };
    throw notListed(
      `the service lists no operation ${JSON.stringify(named.id)}`,
      named.id,
      all.map(({ id }) => id),
    );
  }
  const matches = all.flatMap((operation) => {
    const pathValues = operation.method === named.method ? matchPath(operation.path, named.path) : undefined;
    return pathValues ? [{ operation, pathValues }] : [];
  });
  return matches.sort((a, b) => Object.keys(a.pathValues).length - Object.keys(b.pathValues).length)[0];
}

/** The operations with an id; case is ignored if there is no exact match. */
function operationsWithId(id: string, all: readonly DescribedOperation[]): readonly DescribedOperation[] {
  const exact = all.filter((one) => one.id === id);
  return exact.length > 0 ? exact : all.filter((one) => one.id.toLowerCase() === id.toLowerCase());
}

/** Whether a description is enough to send the request. A method and path need no description. */
export const canResolve = (named: Named, description: Description): boolean =>
  !("id" in named) || operationsWithId(named.id, describedOperations(description)).length > 0;

/** Finds an operation as `findOperation` does, but throws `NotOffered` for every one that is not listed. */
export function requireOperation(named: Named, description: Description): DescribedOperation {
  const found = findOperation(named, description);
  if (found) return found.operation;
  const names = describedOperations(description).map(methodAndPath);
  const wanted = "id" in named ? named.id : methodAndPath(named);
  throw notListed(`the service lists no ${wanted}`, wanted, names);
}

const methodAndPath = ({ method, path }: Pick<DescribedOperation, "method" | "path">) => `${method} ${path}`;

const notListed = (message: string, wanted: string, names: readonly string[]): NotOffered =>
  new NotOffered(message, `${suggestionHint(wanted, names)}\`gpuctl api list\` lists the operations.`);

/** Matches a path against a listed path: the values of its parameters, or undefined when they do not match. */
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
