import { routes } from "../contract/generated/routes.ts";
import type { OperationId } from "../contract/index.ts";

/** The operation at the older path that this one replaces with the same input and answer, if there is one. */
export function legacyOf(id: OperationId): OperationId | undefined {
  const { method, path } = routes[id];
  const entry = Object.entries(routes).find(
    ([, { replacedBy, sunset }]) =>
      sunset !== undefined && replacedBy?.method === method && replacedBy.path === path,
  );
  return entry?.[0] as OperationId | undefined;
}
