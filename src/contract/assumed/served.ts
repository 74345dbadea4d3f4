import { type OperationId, operations } from "../index.ts";
import { type AssumedId, assumedOperations } from "./index.ts";

/** Everything that the sandbox serves: what is documented, and what it assumes. */
export const servedOperations = { ...operations, ...assumedOperations } as const;

export type ServedId = OperationId | AssumedId;
