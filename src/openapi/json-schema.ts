import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { reasonOf } from "../core/errors.ts";
import { limitedPatterns, type SchemaIssue, schemaIssues } from "./schema-check.ts";

/** What is wrong with a JSON Schema (2020-12, or draft 7 if `$schema` says so); undefined for a valid one. */
export function jsonSchemaProblem(schema: Readonly<Record<string, unknown>>): string | undefined {
  const Validator = /draft-0[67]/.test(String(schema.$schema)) ? Ajv : Ajv2020;
  const ajv = new Validator({ strict: false, logger: false });
  formats.default(ajv);
  try {
    ajv.compile(schema);
    return undefined;
  } catch (cause) {
    return reasonOf(cause)
      .replace(/^schema is invalid: /, "")
      .replace(/\bdata(?=[/ ])/g, "");
  }
}

/**
 * Validates a value against a valid JSON Schema. Undefined if the check or a match of a pattern takes too long, or if the
 * schema has a feature of an older draft that 2020-12 does not have.
 */
export function jsonSchemaIssues(
  schema: Readonly<Record<string, unknown>>,
  value: unknown,
): readonly SchemaIssue[] | undefined {
  const { $schema: _, $id: __, ...rest } = schema;
  const description = { ...rest, openapi: "3.1.0", paths: {} };
  const patterns = limitedPatterns();
  const issues = schemaIssues(rest, value, { description, fromText: false, patterns });
  // Below `not` and `oneOf`, a match that is only assumed is an issue of its own.
  if (patterns.unchecked.size > 0) return undefined;
  return issues?.map((issue) =>
    /^(?:additional|unevaluated)Properties$/.test(issue.keyword)
      ? { ...issue, message: "is not in the schema" }
      : issue,
  );
}
