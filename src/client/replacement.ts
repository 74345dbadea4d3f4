import { routes } from "../contract/generated/routes.ts";
import type { OperationId } from "../contract/index.ts";
import { type DescribedOperation, findPath } from "./described.ts";
import type { Description } from "./document.ts";
import { type Paging, pagingOf, saysMore } from "./paging.ts";
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
 * What a deprecated operation and its input become where the description lists the replacement. One whose pages cannot
 * be turned, or that does not take a field of the input, is used only where the deprecated operation is gone.
 */
export function replacementOf(
  id: OperationId,
  input: Readonly<Record<string, unknown>>,
  description: Description | undefined,
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
  const fit = canBeTurned(description, listed, paging) && takes(listed, Object.keys(input));
  if (!fit && findPath(description, method, path)) return undefined;
  const query = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  return { parts: { method: replacedBy.method, path: replacedBy.path, host, query }, paging };
}

/** A page says where the next one is, or says nothing of its shape, and the request can ask for it. */
function canBeTurned(description: Description, { answer }: DescribedOperation, paging: Paging): boolean {
  if (!paging.cursor && !paging.page && !paging.offset) return false;
  const names = schemaNames(description, answer);
  return names === undefined || names.some(saysMore);
}

const takes = ({ parameters }: DescribedOperation, names: readonly string[]): boolean =>
  names.every((name) => parameters.some((parameter) => parameter.name === name));
