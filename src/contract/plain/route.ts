import type { Operation } from "../operation.ts";
import type { Field } from "./field.ts";

/** An operation as plain data: all that the client and the command line need before a schema is loaded. */
export interface Route
  extends Pick<
    Operation,
    | "method"
    | "effect"
    | "path"
    | "host"
    | "group"
    | "summary"
    | "in"
    | "open"
    | "deprecated"
    | "replacedBy"
    | "sunset"
  > {
  readonly fields: readonly Field[];
  /** What the rules across fields say, in words. */
  readonly rules: readonly string[];
}
