import { operations } from "../contract/index.ts";
import type { Operation } from "../contract/operation.ts";
import { type OperationSetName, operationSetNames } from "../core/sandbox.ts";
import { type ServedId, servedOperations } from "./assumed/index.ts";
import { replacementOperations } from "./assumed/replacements.ts";

/** The IDs of the operations that a sandbox serves and lists in its OpenAPI description. */
export type OperationSet = readonly ServedId[];

const idsOf = <Id extends string>(table: Readonly<Record<Id, unknown>>) => Object.keys(table) as Id[];

const documented = idsOf(operations);
const entry = (id: ServedId): Operation => servedOperations[id];
const replaced = documented.flatMap((id) => entry(id).replacedBy ?? []);
const isReplacement = ({ method, path }: Operation): boolean =>
  replaced.some((route) => route.method === method && route.path === path);

const operationSets: Readonly<Record<OperationSetName, OperationSet>> = {
  documented,
  replacements: [...documented.filter((id) => !entry(id).deprecated), ...idsOf(replacementOperations)],
  legacy: documented.filter((id) => !isReplacement(entry(id))),
};

const everyOperation: OperationSet = idsOf(servedOperations);

/**
 * Returns the named operation set. Without a name, returns every operation.
 * @throws TypeError when the name is unknown
 */
export function operationSetOf(name: string | undefined): OperationSet {
  if (name === undefined) return everyOperation;
  const known = operationSetNames.find((one) => one === name);
  if (known !== undefined) return operationSets[known];
  throw new TypeError(
    `the option "only" must be one of ${operationSetNames.join(", ")}, not ${JSON.stringify(name)}`,
  );
}

/** Whether an operation is still served. It is served until its sunset day begins, in UTC (service section 9). */
export const isEnabled = ({ sunset }: Pick<Operation, "sunset">, now: number): boolean =>
  sunset === undefined || now < Date.parse(sunset);

/** The operations of a set that are still served at a moment. */
export const enabledOperations = (operationSet: OperationSet, now: number): readonly Operation[] =>
  operationSet.map(entry).filter((operation) => isEnabled(operation, now));
