import { asList, asRecord, isRecord } from "../core/json.ts";

/** The service's OpenAPI document. Only these members are validated. */
export interface Description {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, unknown>>;
  readonly [name: string]: unknown;
}

/** Parses an OpenAPI description; undefined if the text is not an OpenAPI 3 document. */
export function readDescription(text: string): Description | undefined {
  try {
    const document: unknown = JSON.parse(text);
    return isDescription(document) ? document : undefined;
  } catch {
    return undefined;
  }
}

export const isDescription = (value: unknown): value is Description =>
  isRecord(value) &&
  typeof value.openapi === "string" &&
  /^3\.\d/.test(value.openapi) &&
  isRecord(value.paths);

/** The maximum number of references in a chain. */
const maxChain = 32;

/**
 * How many schemas the work of one `bounded` call may look at. Schemas that refer to each other can expand to billions.
 */
const maxSteps = 20_000;

/** How many more schemas the current call may look at; undefined outside of `bounded`. */
let stepsLeft: number | undefined;

/**
 * Runs `work`, which walks through schemas, with a limit: after `maxSteps` schemas, `resolved` treats the rest as
 * broken references, and `onLimit` is called when the work is done. Nested calls share the outermost limit, and only
 * the outermost `onLimit` is called.
 */
export function bounded<Value>(work: () => Value, onLimit?: () => void): Value {
  if (stepsLeft !== undefined) return work();
  stepsLeft = maxSteps;
  try {
    const result = work();
    if (stepsLeft < 0) onLimit?.();
    return result;
  } finally {
    stepsLeft = undefined;
  }
}

/**
 * Returns the target of a `$ref` within the document, and any other value unchanged. Returns undefined if the reference
 * is broken, external or circular, or if the limit of `bounded` is reached.
 */
export function resolved(description: Description, value: unknown, steps = 0): unknown {
  if (stepsLeft !== undefined && stepsLeft-- <= 0) return undefined;
  if (!isRecord(value) || typeof value.$ref !== "string") return value;
  return steps >= maxChain ? undefined : resolved(description, atPointer(description, value.$ref), steps + 1);
}

/** The value at a JSON pointer such as `#/components/schemas/Rental`. */
function atPointer(description: Description, pointer: string): unknown {
  if (!pointer.startsWith("#/")) return undefined;
  return pointer
    .slice(2)
    .split("/")
    .map((step) => decoded(step.replaceAll("~1", "/").replaceAll("~0", "~")))
    .reduce<unknown>((inside, step) => {
      if (Array.isArray(inside)) return inside[Number(step)];
      return isRecord(inside) && Object.hasOwn(inside, step) ? inside[step] : undefined;
    }, description);
}

/** Percent-decodes a text; returns it unchanged if its escapes are invalid. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export type Schema = Readonly<Record<string, unknown>>;

/** The maximum depth of nested schemas. */
export const maxDepth = 5;

interface Members {
  readonly properties: Schema;
  readonly required: readonly string[];
}

/**
 * The properties of an object schema, with those of its `allOf`, `oneOf` and `anyOf`. A property of alternatives is
 * required only if every alternative requires it.
 */
export const membersOf = (description: Description, schema: Schema): Members =>
  bounded(() => membersAt(description, schema, 0));

function membersAt(description: Description, schema: Schema, depth: number): Members {
  const parts = (some: unknown) =>
    (depth < maxDepth ? asList(some) : [])
      .map((part) => resolved(description, part))
      .filter(isRecord)
      .map((part) => membersAt(description, part, depth + 1));
  const all = parts(schema.allOf);
  const alternatives = [schema.oneOf, schema.anyOf].flatMap(parts);
  const requiredByAll = alternatives[0]?.required.filter((name) =>
    alternatives.every(({ required }) => required.includes(name)),
  );
  return {
    properties: Object.assign(
      {},
      mergedAlternatives(alternatives.map(({ properties }) => properties)),
      ...all.map(({ properties }) => properties),
      asRecord(schema.properties),
    ),
    required: [
      ...asList(schema.required).filter((name) => typeof name === "string"),
      ...all.flatMap(({ required }) => required),
      ...(requiredByAll ?? []),
    ],
  };
}

/** The properties of all alternatives. A property of several alternatives accepts what any of them accepts. */
function mergedAlternatives(alternatives: readonly Schema[]): Schema {
  const names = new Set(alternatives.flatMap((properties) => Object.keys(properties)));
  return Object.fromEntries(
    [...names].map((name) => {
      const anyOf = alternatives.flatMap((one) => (one[name] === undefined ? [] : [one[name]]));
      return [name, anyOf.length === 1 ? anyOf[0] : { anyOf }];
    }),
  );
}

/** A schema with its reference resolved; keywords beside the reference take precedence. */
export function merged(description: Description, schema: unknown): Schema {
  const { $ref: _, ...siblings } = asRecord(schema);
  return { ...asRecord(resolved(description, schema)), ...siblings };
}

/** Converts the boolean exclusive limits of OpenAPI 3.0, such as `exclusiveMinimum: true`, to numbers. */
export const withNumericLimits = (schema: Schema): Schema =>
  withExclusive(withExclusive(schema, "minimum", "exclusiveMinimum"), "maximum", "exclusiveMaximum");

function withExclusive(schema: Schema, name: string, exclusive: string): Schema {
  const { [name]: limit, [exclusive]: isExclusive, ...rest } = schema;
  if (typeof isExclusive !== "boolean") return schema;
  return limit === undefined ? rest : { ...rest, [isExclusive ? exclusive : name]: limit };
}
