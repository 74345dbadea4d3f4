import { routes } from "../contract/generated/routes.ts";
import type { OperationId } from "../contract/index.ts";
import { type DescribedOperation, findPath } from "./described.ts";
import type { Description } from "./document.ts";
import { canTurn, type Paging, pagingOf } from "./paging.ts";
import type { RequestParts } from "./request.ts";
import { schemaNames } from "./schema-names.ts";

/** A request that takes the place of a deprecated operation's, and how its pages are turned when it has some. */
export interface Replacement {
  readonly parts: RequestParts;
  readonly paging?: Paging;
}

/** Whether an operation has a replacement that only the description can tell of. */
export const mayBeReplaced = (id: OperationId): boolean => {
  const { deprecated, replacedBy, sunset } = routes[id];
  return deprecated === true && replacedBy !== undefined && sunset === undefined;
};

/**
 * What a deprecated operation and its input become where the description lists the replacement. One of which nobody
 * knows how its pages are turned, or that does not take a field of the input, is used only where the deprecated
 * operation, which answers all at once, is not listed or `gone` all the same.
 */
export function replacementOf(
  id: OperationId,
  input: Readonly<Record<string, unknown>>,
  description: Description | undefined,
  gone = false,
): Replacement | undefined {
  const { replacedBy, host, method, path } = routes[id];
  const listed = description && replacedBy && findPath(description, replacedBy.method, replacedBy.path);
  if (!listed || !replacedBy) return undefined;
  const fields = { ...input, ...replacedBy.with };
  if (!replacedBy.paged) {
    return {
      parts: { method: replacedBy.method, path: replacedBy.path, host, body: JSON.stringify(fields) },
    };
  }
  const paging = pagingOf(listed.parameters.map(({ name }) => name));
  const names = schemaNames(description, listed.answer) ?? [];
  const fit = canTurn(names, paging) && takes(listed, Object.keys(input));
  if (!fit && !gone && findPath(description, method, path)) return undefined;
  const query = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  return { parts: { method: replacedBy.method, path: replacedBy.path, host, query }, paging };
}

const takes = ({ parameters }: DescribedOperation, names: readonly string[]): boolean =>
  names.every((name) => parameters.some((parameter) => parameter.name === name));
