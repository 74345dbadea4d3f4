import { Ajv, type ErrorObject } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { reasonOf } from "../core/errors.ts";
import { expressionOf, limitedPatterns, type SchemaIssue, schemaIssues } from "./schema-check.ts";

/**
 * Says what is wrong with a JSON Schema. The schema is validated as draft 7 if `$schema` names draft 6 or 7, which
 * hardly differ, and otherwise as 2020-12. Undefined if the schema is valid.
 */
export function jsonSchemaProblem({
  $schema,
  ...schema
}: Readonly<Record<string, unknown>>): string | undefined {
  const options = { strict: false, logger: false, verbose: true, validateSchema: false } as const;
  const regExp = Object.assign(expressionOf, { code: "regExp" });
  const ajv = new (validatorFor($schema))({ ...options, code: { regExp } });
  formats.default(ajv);
  try {
    if (ajv.validateSchema(schema) === false) return demandOf(ajv.errors ?? []);
    ajv.compile(schema);
    return undefined;
  } catch (cause) {
    return reasonOf(cause);
  }
}

const validatorFor = (draft: unknown) => (/draft-0[67]/.test(String(draft)) ? Ajv : Ajv2020);

/**
 * Says what the first invalid part of a schema must be. If there are several errors for that part, prefers the one that
 * lists the allowed values.
 */
function demandOf(errors: readonly ErrorObject[]): string | undefined {
  const place = errors[0]?.instancePath;
  const here = errors.filter(({ instancePath }) => instancePath === place);
  const chosen = here.find(({ keyword }) => keyword === "enum") ?? here[0];
  if (chosen === undefined) return undefined;
  const { keyword, params, message, data } = chosen;
  const values: unknown = params.allowedValues;
  const orList = here.some((one) => one.keyword === "type" && one.params.type === "array");
  const demand =
    keyword === "enum" && Array.isArray(values)
      ? `must be one of ${values.join(", ")}${orList ? ", or a list of these" : ""}`
      : message;
  const shown = typeof data === "object" && data !== null ? "" : `, not ${JSON.stringify(data)}`;
  return `${place} ${demand}${shown}`.trim();
}

/**
 * Validates a value against a valid JSON Schema, by the same draft as `jsonSchemaProblem`. Keywords that the draft does
 * not know are ignored. Returns undefined if the schema refers to itself by its `$id`, or if the validation or a single
 * pattern takes too long.
 */
export function jsonSchemaIssues(
  schema: Readonly<Record<string, unknown>>,
  value: unknown,
): readonly SchemaIssue[] | undefined {
  const { $schema, $id: _, ...rest } = schema;
  const description = { ...rest, openapi: "3.1.0", paths: {} };
  const patterns = limitedPatterns();
  const issues = schemaIssues(rest, value, {
    description,
    fromText: false,
    patterns,
    Validator: validatorFor($schema),
  });
  // A pattern that took too long is assumed to match. Inside `not` or `oneOf`, that assumption can itself cause an
  // issue.
  if (patterns.unchecked.size > 0) return undefined;
  return issues?.map((issue) =>
    /^(?:additional|unevaluated)Properties$/.test(issue.keyword)
      ? { ...issue, message: "is not in the schema" }
      : issue,
  );
}
