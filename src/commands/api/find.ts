import { type ArgValues, arg } from "../../command-kit/arg.ts";
import { NotOffered, UsageError } from "../../core/errors.ts";
import { nearest } from "../../core/text.ts";
import { type DescribedOperation, describedOperations, methods } from "../../openapi/described.ts";
import type { Description } from "../../openapi/document.ts";
import {
  type Found,
  methodAndPath,
  type Named,
  namedByPath,
  operationOfPath,
  operationsWithId,
} from "../../openapi/find.ts";

/** The arguments that name an operation. */
export const operationArgs = [
  arg.text("OPERATION", "Operation ID such as getRental, or a method such as GET followed by a path", {
    required: true,
  }),
  arg.text("PATH", "Path such as /v2/on-demand/rental, after a method"),
] as const;

/**
 * Parses the arguments that name an operation. Throws `UsageError` for a method without a path, a path without a
 * method, an unknown method, or an invalid path.
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
  return namedByPath(method, path, "PATH");
}

/**
 * The names that are most similar to a word in spelling. If there are none, and the word has at least three characters,
 * up to three names that contain it.
 */
export function similar(word: string, names: readonly string[]): readonly string[] {
  const near = nearest(word, names);
  const contains = (name: string) => name.toLowerCase().includes(word.toLowerCase());
  return near.length > 0 || word.length < 3 ? near : names.filter(contains).slice(0, 3);
}

/** A "Did you mean" hint with a trailing space, to put before another hint. Empty if no name is similar. */
export function suggestionHint(word: string, names: readonly string[]): string {
  const like = similar(word, names);
  return like.length > 0 ? `Did you mean ${like.join(", ")}? ` : "";
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
  return operationOfPath(named, all);
}

/** Whether this description is enough to send the request: it lists the id, or a method and path were given. */
export const canResolve = (named: Named, description: Description): boolean =>
  !("id" in named) || operationsWithId(named.id, describedOperations(description)).length > 0;

/**
 * Finds an operation as `findOperation` does, but also throws `NotOffered` for a method and path that are not listed.
 */
export function requireOperation(named: Named, description: Description): DescribedOperation {
  const found = findOperation(named, description);
  if (found) return found.operation;
  const names = describedOperations(description).map(methodAndPath);
  const wanted = "id" in named ? named.id : methodAndPath(named);
  throw notListed(`the service lists no ${wanted}`, wanted, names);
}

const notListed = (message: string, wanted: string, names: readonly string[]): NotOffered =>
  new NotOffered(message, `${suggestionHint(wanted, names)}\`gpuctl api list\` lists the operations.`);
