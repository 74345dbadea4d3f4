import { type Description, isObject } from "../../client/document.ts";
import { resolved } from "../../client/reference.ts";
import { type Field, type Limits, limitNames } from "../../contract/field.ts";
import { limitsText } from "../limits.ts";

/** A field as `api describe` shows it; `name` is what `-f` and `-F` take, such as `storageVolume[label]`. */
export interface ShownField {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly limits: string;
  readonly choices: readonly unknown[] | null;
  readonly default: unknown;
  readonly description: string;
}

/** So deep are the fields of fields told of. */
const deepest = 5;

export type Schema = Readonly<Record<string, unknown>>;

/** The fields of an object's schema, those inside of them after each; circles end where they start again. */
export function fieldsOfSchema(
  description: Description,
  schema: unknown,
  prefix = "",
  above: readonly unknown[] = [],
): readonly ShownField[] {
  const found = resolved(description, schema);
  if (!isObject(found) || above.includes(found) || above.length > deepest) return [];
  const { properties, required } = membersOf(description, found);
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = prefix === "" ? name : `${prefix}[${name}]`;
    const inner = merged(description, property);
    const item = inner.type === "array" ? inner.items : undefined;
    return [
      shownField(description, path, property, required.includes(name)),
      ...fieldsOfSchema(description, item ?? property, item ? `${path}[]` : path, [...above, found]),
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
    limits: limitsText(limited(description, found)),
    choices: Array.isArray(found.enum) ? found.enum : null,
    default: found.default ?? null,
    description: typeof found.description === "string" ? found.description : "",
  };
}

interface Members {
  readonly properties: Schema;
  readonly required: readonly string[];
}

/** The properties of an object, with those of its parts; of several shapes, what each needs is needed. */
export function membersOf(description: Description, schema: Schema, depth = 0): Members {
  const parts = (some: unknown) =>
    (Array.isArray(some) && depth < deepest ? some : [])
      .map((part) => resolved(description, part))
      .filter(isObject)
      .map((part) => membersOf(description, part, depth + 1));
  const all = parts(schema.allOf);
  const shapes = [...parts(schema.oneOf), ...parts(schema.anyOf)];
  const own = isObject(schema.properties) ? schema.properties : {};
  const needed = shapes[0]?.required.filter((name) =>
    shapes.every(({ required }) => required.includes(name)),
  );
  return {
    properties: Object.assign(
      {},
      ofShapes(shapes.map(({ properties }) => properties)),
      ...all.map(({ properties }) => properties),
      own,
    ),
    required: [
      ...(Array.isArray(schema.required) ? schema.required : []),
      ...all.flatMap(({ required }) => required),
      ...(needed ?? []),
    ],
  };
}

/** Properties of several shapes; one that they have in common is what any of them takes. */
function ofShapes(shapes: readonly Schema[]): Schema {
  const names = new Set(shapes.flatMap((shape) => Object.keys(shape)));
  return Object.fromEntries(
    [...names].map((name) => {
      const anyOf = shapes.flatMap((shape) => (shape[name] === undefined ? [] : [shape[name]]));
      return [name, anyOf.length === 1 ? anyOf[0] : { anyOf }];
    }),
  );
}

/** A schema with what it refers to; what stands beside the reference goes first. */
export function merged(description: Description, schema: unknown): Schema {
  const found = resolved(description, schema);
  const { $ref: _, ...beside } = isObject(schema) ? schema : {};
  return { ...(isObject(found) ? found : {}), ...beside };
}

/** What kind of value a schema takes, in words. */
export function typeText(description: Description, schema: unknown, depth = 0): string {
  const found = merged(description, schema);
  const shapes = [found.oneOf, found.anyOf].find(Array.isArray);
  if (depth > deepest) return "anything";
  if (shapes) {
    return [...new Set(shapes.map((shape) => typeText(description, shape, depth + 1)))].join(" or ");
  }
  if (found.const !== undefined) return JSON.stringify(found.const);
  if (Array.isArray(found.type)) return found.type.join(" or ");
  if (found.type === "array") return `list of ${typeText(description, found.items, depth + 1)}`;
  if (isObject(found.properties) || Array.isArray(found.allOf)) return "object";
  if (isObject(found.additionalProperties)) {
    return `map to ${typeText(description, found.additionalProperties, depth + 1)}`;
  }
  if (typeof found.type !== "string") return Array.isArray(found.enum) ? "choice" : "anything";
  return typeof found.format === "string" ? found.format : found.type;
}

function limited(description: Description, schema: Schema): Field {
  const about = { name: "", required: false, description: "" };
  if (schema.type !== "array") return { ...about, kind: "string", ...limitsOf(schema) };
  const item = { kind: "string", ...limitsOf(merged(description, schema.items)) } as const;
  return { ...about, kind: "list", ...limitsOf(schema), item };
}

const limitsOf = (schema: Schema): Limits => ({
  ...Object.fromEntries(
    limitNames.flatMap((name) => (typeof schema[name] === "number" ? [[name, schema[name]]] : [])),
  ),
  ...(typeof schema.pattern === "string" && { pattern: schema.pattern }),
});
