import { type Field, type Limits, limitNames } from "../contract/plain/field.ts";
import { limitsText } from "../contract/plain/limits-text.ts";
import { asText, isRecord, scalarText } from "../core/json.ts";
import {
  type Description,
  maxDepth,
  membersOf,
  merged,
  resolved,
  type Schema,
  withNumericLimits,
} from "./document.ts";

/** A field as `api describe` shows it. `name` is what `-f` and `-F` expect, such as `storageVolume[label]`. */
export interface ShownField {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly limits: string;
  readonly choices: readonly unknown[] | null;
  readonly default: unknown;
  readonly description: string;
}

/** The fields of an object's schema, each followed by its nested fields. A recursive schema is shown once. */
export function fieldsOfSchema(
  description: Description,
  schema: unknown,
  prefix = "",
  ancestors: readonly unknown[] = [],
): readonly ShownField[] {
  const found = resolved(description, schema);
  if (!isRecord(found) || ancestors.includes(found) || ancestors.length > maxDepth) return [];
  const { properties, required } = membersOf(description, found);
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = prefix === "" ? name : `${prefix}[${name}]`;
    const inner = merged(description, property);
    const item = inner.type === "array" ? inner.items : undefined;
    return [
      shownField(description, path, property, required.includes(name)),
      ...fieldsOfSchema(description, item ?? property, item ? `${path}[]` : path, [...ancestors, found]),
    ];
  });
}

export function shownField(
  description: Description,
  name: string,
  schema: unknown,
  required: boolean,
): ShownField {
  const found = merged(description, schema);
  return {
    name,
    type: typeText(description, schema),
    required,
    limits: limitsText(fieldOf(description, found)),
    choices: Array.isArray(found.enum) ? found.enum : null,
    default: found.default ?? null,
    description: asText(found.description),
  };
}

/** The type of a schema in words. */
export function typeText(description: Description, schema: unknown, depth = 0): string {
  const found = merged(description, schema);
  const alternatives = [found.oneOf, found.anyOf].find(Array.isArray);
  if (depth > maxDepth) return "anything";
  if (alternatives) {
    return [...new Set(alternatives.map((one) => typeText(description, one, depth + 1)))].join(" or ");
  }
  if (found.const !== undefined) return JSON.stringify(found.const);
  if (Array.isArray(found.type)) return found.type.map(scalarText).join(" or ");
  if (found.type === "array") return `list of ${typeText(description, found.items, depth + 1)}`;
  if (isRecord(found.properties) || Array.isArray(found.allOf)) return "object";
  if (isRecord(found.additionalProperties)) {
    return `map to ${typeText(description, found.additionalProperties, depth + 1)}`;
  }
  if (typeof found.type !== "string") return Array.isArray(found.enum) ? "choice" : "anything";
  return typeof found.format === "string" ? found.format : found.type;
}

/** Converts a schema to a contract field that has only the limits of the schema. */
function fieldOf(description: Description, schema: Schema): Field {
  const unnamed = { name: "", required: false, description: "" };
  if (schema.type !== "array") return { ...unnamed, kind: "string", ...limitsOf(schema) };
  const item = { kind: "string", ...limitsOf(merged(description, schema.items)) } as const;
  return { ...unnamed, kind: "list", ...limitsOf(schema), item };
}

function limitsOf(schema: Schema): Limits {
  const limits = withNumericLimits(schema);
  return {
    ...Object.fromEntries(
      limitNames.flatMap((name) => (typeof limits[name] === "number" ? [[name, limits[name]]] : [])),
    ),
    ...(typeof schema.pattern === "string" && { pattern: schema.pattern }),
  };
}
