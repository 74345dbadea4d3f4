import * as z from "zod";
import type { JsonSchema, ToJsonSchema } from "./responses.ts";

/** Removes what Zod adds to a schema: the long pattern of a date-time and the schema of a map's keys. */
function tidy({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
  delete jsonSchema.propertyNames;
}

const convert = (type: z.ZodType) => z.toJSONSchema(type, { io: "input", override: tidy });

/** A converter to JSON Schema, and the named schemas that its results refer to. */
export function schemaCollector(): { schema: ToJsonSchema; schemas: Record<string, JsonSchema> } {
  const schemas: Record<string, JsonSchema> = {};
  const schema: ToJsonSchema = (type) => {
    const { $schema: _, $defs, ...own } = convert(type);
    Object.assign(schemas, $defs);
    return own;
  };
  return { schema, schemas };
}

/** The JSON Schema of an input. References are replaced with the schemas that they point to. */
export function wholeSchema(type: z.ZodType): JsonSchema {
  const { $schema: _, $defs = {}, ...schema } = convert(type);
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline);
    if (typeof value !== "object" || value === null) return value;
    const { $ref, ...rest } = value as JsonSchema;
    const { id: _id, ...target } = typeof $ref === "string" ? { ...$defs[$ref.replace("#/$defs/", "")] } : {};
    return Object.fromEntries(
      Object.entries({ ...target, ...rest }).map(([name, inner]) => [name, inline(inner)]),
    );
  };
  return inline(schema) as JsonSchema;
}
