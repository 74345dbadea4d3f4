import type * as z from "zod";
import { operations } from "../index.ts";
import { assumedOperations } from "./index.ts";
import { replacementOperations } from "./replacements.ts";

/** Everything that a sandbox may serve: what is documented, and what it assumes. */
export const servedOperations = { ...operations, ...assumedOperations, ...replacementOperations } as const;

export type ServedOperations = typeof servedOperations;
export type ServedId = keyof ServedOperations;
/** What a handler gets: checked, defaults filled in. */
export type ServedInputOf<Id extends ServedId> = z.output<ServedOperations[Id]["input"]>;
export type ServedOutputOf<Id extends ServedId> = z.output<ServedOperations[Id]["output"]>;
