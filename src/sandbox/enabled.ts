import { assumedOperations } from "../contract/assumed/index.ts";
import { operations } from "../contract/index.ts";
import type { Operation } from "../contract/operation.ts";

const all: readonly Operation[] = [...Object.values(operations), ...Object.values(assumedOperations)];

/** An operation is served until its sunset day begins, in UTC (service section 9). */
export const isEnabled = ({ sunset }: Pick<Operation, "sunset">, now: number): boolean =>
  sunset === undefined || now < Date.parse(sunset);

export const enabledOperations = (now: number): readonly Operation[] =>
  all.filter((operation) => isEnabled(operation, now));
