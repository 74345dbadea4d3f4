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

/** Throws `UsageError` for a method without a path, a path without a method, or the address of another host. */
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
    throw new UsageError(`PATH must not lead upwards, as ${JSON.stringify(path)} does`);
  }
  const [, plain = "", query = ""] = /^([^?#]*)(?:\?([^#]*))?/.exec(path) ?? [];
  return { method, path: plain.startsWith("/") ? plain : `/${plain}`, query: new URLSearchParams(query) };
}

/** The names most like a word: by spelling, else those that contain it. */
export function similar(word: string, names: readonly string[]): readonly string[] {
  const near = nearest(word, names);
  const contains = (name: string) => name.toLowerCase().includes(word.toLowerCase());
  return near.length > 0 || word.length < 3 ? near : names.filter(contains).slice(0, 3);
}

/** A hint to put before another, with a blank after it; empty when no name is like the word. */
export function suggestionHint(word: string, names: readonly string[]): string {
  const like = similar(word, names);
  return like.length > 0 ? `Did you mean ${like.join(", ")}? ` : "";
}

export interface Found {
  readonly operation: DescribedOperation;
  /** Values of the parameters of the listed path, as the given path sets them. */
  readonly pathValues: Readonly<Record<string, string>>;
}

/**
 * The listed operation with this name; undefined for a method and a path that are not listed. Throws `NotOffered` for
 * an unknown id, and `UsageError` for one that several operations have.
 */
export function findOperation(named: Named, description: Description): Found | undefined {
  const all = describedOperations(description);
  if ("id" in named) {
    const found = called(named.id, all);
    if (found.length > 1) {
      throw new UsageError(`several operations are called ${named.id}`, {
        hint: `Use the method and the path: ${found.map(placeOf).join(", or ")}.`,
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
    const pathValues = operation.method === named.method ? matched(operation.path, named.path) : undefined;
    return pathValues ? [{ operation, pathValues }] : [];
  });
  return matches.sort((a, b) => Object.keys(a.pathValues).length - Object.keys(b.pathValues).length)[0];
}

/** The operations with an id, ignoring case where none has it as it is. */
function called(id: string, all: readonly DescribedOperation[]): readonly DescribedOperation[] {
  const exact = all.filter((one) => one.id === id);
  return exact.length > 0 ? exact : all.filter((one) => one.id.toLowerCase() === id.toLowerCase());
}

/** Whether a description is enough to send the request: a method and a path need none. */
export const isPlaced = (named: Named, description: Description): boolean =>
  !("id" in named) || called(named.id, describedOperations(description)).length > 0;

/** The same for an operation that must be listed; otherwise throws `NotOffered`. */
export function requireOperation(named: Named, description: Description): DescribedOperation {
  const found = findOperation(named, description);
  if (found) return found.operation;
  const names = describedOperations(description).map(placeOf);
  const wanted = "id" in named ? named.id : placeOf(named);
  throw notListed(`the service lists no ${wanted}`, wanted, names);
}

const placeOf = ({ method, path }: Pick<DescribedOperation, "method" | "path">) => `${method} ${path}`;

const notListed = (message: string, wanted: string, names: readonly string[]): NotOffered =>
  new NotOffered(message, `${suggestionHint(wanted, names)}\`gpuctl api list\` lists the operations.`);

/** The values of the parameters of a listed path, or undefined when the given path is another one. */
function matched(listed: string, path: string): Readonly<Record<string, string>> | undefined {
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
