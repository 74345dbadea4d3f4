import type { Operation } from "../operation.ts";
import type { Field } from "./field.ts";

/** An operation as plain data: what the client and the CLI need without loading its schema. */
export interface Route
  extends Omit<
    Operation,
    "id" | "input" | "documentedInput" | "output" | "errors" | "rules" | "notes" | "assumed" | "streams"
  > {
  readonly fields: readonly Field[];
  /** A successful response is a list. */
  readonly list?: true;
  /** The texts of the operation's rules, each of which involves several fields. */
  readonly rules: readonly string[];
}
