import { type Description, isObject } from "./document.ts";

/**
 * A document of OpenAPI 3.0 with its schemas in the words of JSON Schema 2020-12, as those of 3.1 are already:
 * `nullable`, and limits that are exclusive.
 */
export const inToday = (description: Description): Description =>
  description.openapi.startsWith("3.0")
    ? { ...description, ...Object(translated(description)) }
    : description;

/** The same for a schema that was taken from such a document. */
export const schemaInToday = (schema: unknown, { openapi }: Description): unknown =>
  openapi.startsWith("3.0") ? translated(schema) : schema;

const translated = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? {}), (_key, one) => (isObject(one) ? orNull(withLimits(one)) : one));

type Members = Readonly<Record<string, unknown>>;

function withLimits(schema: Members): Members {
  const { exclusiveMinimum: above, exclusiveMaximum: below, minimum, maximum, ...rest } = schema;
  if (typeof above !== "boolean" && typeof below !== "boolean") return schema;
  return {
    ...rest,
    ...limit(["minimum", "exclusiveMinimum"], minimum, above),
    ...limit(["maximum", "exclusiveMaximum"], maximum, below),
  };
}

function limit([name, exclusive]: readonly [string, string], value: unknown, flag: unknown): Members {
  const own = typeof flag === "boolean" || flag === undefined ? {} : { [exclusive]: flag };
  if (value === undefined) return own;
  return flag === true ? { [exclusive]: value } : { ...own, [name]: value };
}

function orNull(schema: Members): Members {
  if (schema.nullable !== true) return schema;
  const { nullable: _, ...rest } = schema;
  return { anyOf: [rest, { type: "null" }] };
}
