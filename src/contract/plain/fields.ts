import * as z from "zod";
import type { InputSchema } from "../operation.ts";
import { type Field, type FieldKind, type Item, type Limits, limitNames } from "./field.ts";

type Schema = z.core.JSONSchema.BaseSchema;

const known = new WeakMap<InputSchema, readonly Field[]>();

/** The fields of an input schema as plain data. For a union, the fields of every alternative, each name once. */
export function fieldsOf(input: InputSchema): readonly Field[] {
  const fields = known.get(input) ?? readFields(input);
  known.set(input, fields);
  return fields;
}

function readFields(input: InputSchema): readonly Field[] {
  const schema = z.toJSONSchema(input, { io: "input", reused: "inline", unrepresentable: "throw" });
  const resolve = resolver(schema);
  const sets = (schema.oneOf ?? [schema]).map((set) => shapeFields(resolve(set), resolve));
  return [...new Map(sets.flat().map((field) => [field.name, field])).values()];
}

type Resolve = (schema: Schema | boolean | undefined) => Schema;

/** Resolves a reference to a named schema. Keywords beside the reference take precedence. */
function resolver(root: Schema): Resolve {
  return (schema) => {
    if (schema === undefined || typeof schema === "boolean") return {};
    const named = schema.$ref?.replace("#/$defs/", "");
    if (named === undefined) return schema;
    const { $ref: _, ...own } = schema;
    return { ...root.$defs?.[named], ...own };
  };
}

function field(name: string, schema: Schema, required: boolean, resolve: Resolve): Field {
  const kind = kindOf(schema);
  return {
    name,
    kind,
    required,
    description: schema.description ?? "",
    ...limitsOf(schema),
    ...(schema.default === undefined ? {} : { default: schema.default as NonNullable<Field["default"]> }),
    ...(kind === "list" && { item: item(schema.items as Schema, resolve) }),
    ...(kind === "map" && { item: item(schema.additionalProperties as Schema, resolve) }),
    ...(kind === "shapes" && {
      shapes: (schema.oneOf ?? []).map((shape) => shapeFields(resolve(shape), resolve)),
    }),
  };
}

const shapeFields = (shape: Schema, resolve: Resolve): readonly Field[] =>
  Object.entries(shape.properties ?? {}).map(([name, property]) =>
    field(name, resolve(property), shape.required?.includes(name) ?? false, resolve),
  );

function item(schema: Schema, resolve: Resolve): Item {
  const resolved = resolve(schema);
  const kind = kindOf(resolved);
  return {
    kind,
    ...limitsOf(resolved),
    ...(kind === "object" && { fields: shapeFields(resolved, resolve) }),
  };
}

function kindOf(schema: Schema): FieldKind {
  if (schema.oneOf) return "shapes";
  if (schema.anyOf) return "id";
  if (schema.type === "array") return "list";
  if (schema.type === "object") return schema.properties ? "object" : "map";
  if (schema.format === "date-time") return "date-time";
  if (schema.type === "integer" || schema.type === "number" || schema.type === "boolean") return schema.type;
  return "string";
}

function limitsOf(schema: Schema): Limits {
  const numbers = limitNames.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]]]));
  return {
    ...Object.fromEntries(numbers),
    ...(schema.enum && { choices: schema.enum as string[] }),
    ...(schema.const !== undefined && { constant: schema.const as boolean }),
    ...(schema.pattern !== undefined && schema.format === undefined && { pattern: schema.pattern }),
  };
}
