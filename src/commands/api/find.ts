import { type DescribedOperation, describedOperations, methods } from "../../client/described.ts";
import type { Description } from "../../client/document.ts";
import { NotOffered, UsageError } from "../errors.ts";
import type { Args } from "../spec.ts";
import { nearest } from "./nearest.ts";

/** What was typed to name an operation. */
export type Named =
  | { readonly id: string }
  | { readonly method: string; readonly path: string; readonly query: URLSearchParams };

/** Throws `UsageError` for a method without a path, a path without a method, or an address of another place. */
export function namedBy({ words }: Pick<Args, "words">): Named {
  const first = String(words.OPERATION ?? "");
  const path = words.PATH === undefined ? undefined : String(words.PATH);
  const method = first.toUpperCase();
  const isMethod = methods.some((known) => known.toUpperCase() === method);
  if (path === undefined) {
    if (isMethod) throw new UsageError(`${method} needs a path, such as ${method} /v2/on-demand/rental`);
    if (first.startsWith("/")) throw new UsageError(`a path needs a method before it, such as GET ${first}`);
    return { id: first };
  }
  if (!isMethod) {
    throw new UsageError(
      `${JSON.stringify(first)} is no method: give one of ${methods.join(", ").toUpperCase()}`,
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

export interface Found {
  readonly operation: DescribedOperation;
  /** What a typed path has in the place of the names in the listed one. */
  readonly pathValues: Readonly<Record<string, string>>;
}

/**
 * The listed operation that was named; nothing for a method and a path that are not listed. Throws `NotOffered` for an
 * unknown id, and `UsageError` for one that several have.
 */
export function findOperation(named: Named, description: Description): Found | undefined {
  const all = describedOperations(description);
  if ("id" in named) {
    const [found, ...others] = called(named.id, all);
    if (found && others.length > 0) throw ambiguous(named.id, [found, ...others]);
    if (found) return { operation: found, pathValues: {} };
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

/** The operations with an id; in other letter cases where none has it as it is. */
function called(id: string, all: readonly DescribedOperation[]): readonly DescribedOperation[] {
  const exact = all.filter((one) => one.id === id);
  return exact.length > 0 ? exact : all.filter((one) => one.id.toLowerCase() === id.toLowerCase());
}

/** Whether a description says where a request for what was named goes: a method and a path say so themselves. */
export const isPlaced = (named: Named, description: Description): boolean =>
  !("id" in named) || called(named.id, describedOperations(description)).length > 0;

const ambiguous = (id: string, found: readonly DescribedOperation[]): UsageError =>
  new UsageError(`several operations are called ${id}`, {
    hint: `Give the method and the path: ${found.map(({ method, path }) => `${method} ${path}`).join(", or ")}.`,
  });

/** The same, but what is not listed is an error. */
export function needOperation(named: Named, description: Description): Found {
  const found = findOperation(named, description);
  if (found || "id" in named) return found ?? never();
  const names = describedOperations(description).map(({ method, path }) => `${method} ${path}`);
  const wanted = `${named.method} ${named.path}`;
  throw notListed(`the service lists no ${wanted}`, wanted, names);
}

const never = (): never => {
  throw new Error("an operation that was looked for by its id was neither found nor missed");
};

function notListed(message: string, wanted: string, names: readonly string[]): NotOffered {
  const like = nearest(wanted, names);
  const meant = like.length > 0 ? `Did you mean ${like.join(", ")}? ` : "";
  return new NotOffered(message, `${meant}\`gpuctl api list\` shows what there is.`);
}

/** The values in the place of the names of a listed path, or nothing when the typed path is another one. */
function matched(listed: string, typed: string): Readonly<Record<string, string>> | undefined {
  const names = listed.split("/");
  const values = typed.split("/");
  if (names.length !== values.length) return undefined;
  const found: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const value = values[index] ?? "";
    const blank = /^\{(.+)\}$/.exec(name)?.[1];
    if (name === value) continue;
    if (blank === undefined || value === "") return undefined;
    found[blank] = decoded(value);
  }
  return found;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
