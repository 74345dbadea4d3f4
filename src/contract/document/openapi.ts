import type * as z from "zod";
import type { openApiDocument } from "../description.ts";
import { errorBody } from "../errors.ts";
import { documentedInputOf, groups, type Operation } from "../operation.ts";
import { exampleOf } from "./examples.ts";
import { schemaCollector } from "./json-schema.ts";
import { type Additions, type JsonSchema, responses, type ToJsonSchema } from "./responses.ts";

export type OpenApiDocument = z.output<typeof openApiDocument>;

interface OpenApiOptions {
  /** Base URLs that serve the operations. */
  readonly servers: readonly string[];
  readonly title?: string;
  /** Whether to describe everything that each operation accepts, which may be more than the service documents. */
  readonly accepted?: boolean;
  /** What this server adds to the documented operations. */
  readonly additions?: (operation: Operation) => Additions;
  /** Which fields this server always sends, in records whose fields the service does not document. */
  readonly sent?: SentFields;
}

/**
 * Which fields of records are always sent. `records` contains the IDs of the records' schemas. All their fields are
 * always sent and never null, except those in `absent`, which may be missing, and those in `nullable`, which may be
 * null.
 */
export interface SentFields {
  readonly records: readonly string[];
  readonly absent: readonly string[];
  readonly nullable: readonly string[];
}

const securityScheme = "Authorization";

/**
 * An OpenAPI 3.1 document that describes only the given operations (service section 2.7). Named schemas become
 * components.
 */
export function openApi(operations: readonly Operation[], options: OpenApiOptions): OpenApiDocument {
  const { schema, schemas } = schemaCollector();
  const error = schema(errorBody);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const additions = options.additions?.(operation);
    const input = schema(options.accepted ? operation.input : documentedInputOf(operation));
    addLimits(input, additions?.fields ?? {}, schemas);
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: operationObject(operation, input, schema, error, additions),
    };
  }
  for (const name of options.sent?.records ?? []) {
    const record = schemas[name];
    if (record && options.sent) schemas[name] = withSentFields(record, options.sent);
  }
  addExamples(paths, schemas);
  const document = {
    openapi: "3.1.0",
    info: {
      title: options.title ?? "Compute and inference service",
      version: "2.0.0",
      description: "Rents GPUs and storage volumes, and serves chat, images and speech.",
      contact: { name: options.title ?? "The provider of the service" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: options.servers.map((url) => ({ url })),
    security: [{ [securityScheme]: [] }],
    tags: Object.entries(groups).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: { [securityScheme]: { type: "http", scheme: "bearer" } },
      schemas,
    },
  };
  return JSON.parse(JSON.stringify(document), (key, value) => finish(key, value, schemas));
}

/** Adds limits to the fields of an input, or of each of its shapes. */
function addLimits(
  input: JsonSchema,
  fields: Readonly<Record<string, object>>,
  schemas: Readonly<Record<string, JsonSchema>>,
): void {
  const shapes = input.oneOf?.map((one) => schemas[String(Object(one).$ref).replace(/^.*\//, "")]) ?? [input];
  for (const { properties = {} } of shapes.filter((shape) => shape !== undefined)) {
    for (const [name, limits] of Object.entries(fields)) {
      properties[name] = limited(Object(properties[name]), limits);
    }
  }
}

/** Adds limits to a schema, or to each of its alternatives except null. */
const limited = (schema: JsonSchema, limits: object): JsonSchema =>
  schema.anyOf === undefined
    ? { ...schema, ...limits }
    : {
        ...schema,
        anyOf: schema.anyOf.map((one) => (Object(one).type === "null" ? one : { ...Object(one), ...limits })),
      };

function operationObject(
  operation: Operation,
  input: JsonSchema,
  schema: ToJsonSchema,
  error: JsonSchema,
  additions?: Additions,
) {
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: description(operation, additions?.notes),
    tags: [operation.group],
    ...(operation.deprecated && { deprecated: true }),
    ...(operation.open && { security: [] }),
    ...(operation.in === "body" && {
      requestBody: { required: true, content: { "application/json": { schema: input } } },
    }),
    ...((operation.in === "query" || operation.in === "path") && {
      parameters: parameters(input, operation.in),
    }),
    responses: responses(operation, schema, error, additions),
  };
}

/**
 * The summary, and what the schema cannot express, such as the rules across fields and the replacement of a deprecated
 * operation.
 */
function description(
  { summary, rules = [], notes = [], replacedBy, sunset, assumed }: Operation,
  more: readonly string[] = [],
): string {
  const fixed = Object.entries(replacedBy?.with ?? {}).map(([field, value]) => `${field} ${value}`);
  const sentences = [
    `${summary}.`,
    ...rules.map((rule) => `${rule.text}.`),
    ...notes,
    ...more,
    ...(replacedBy ? [`Use ${[`${replacedBy.method} ${replacedBy.path}`, ...fixed].join(" with ")}.`] : []),
    ...(sunset ? [`Removed on ${sunset}.`] : []),
    ...(assumed ? ["Assumed by the sandbox; the service may behave differently."] : []),
  ];
  return sentences.join("\n\n");
}

const parameters = (input: JsonSchema, place: "query" | "path") =>
  Object.entries(input.properties ?? {}).map(([name, property]) => {
    const { description, ...schema } = property as JsonSchema;
    return { name, in: place, required: input.required?.includes(name) ?? false, description, schema };
  });

/** Marks the fields that are always sent and those that are never null, in a record and in its nullable objects. */
function withSentFields(schema: JsonSchema, sent: SentFields): JsonSchema {
  const { properties } = schema;
  if (properties === undefined) return schema;
  const fields = Object.entries(properties).map(([name, property]) => {
    const type = property as JsonSchema;
    const mayBeNull = sent.nullable.includes(name);
    if (Array.isArray(type.type) && !mayBeNull) {
      const [only, ...others] = type.type.filter((one: string) => one !== "null");
      return [name, { ...type, type: others.length === 0 ? only : [only, ...others] }] as const;
    }
    const alternatives = mayBeNull
      ? type.anyOf
      : type.anyOf?.filter((one) => (one as JsonSchema).type !== "null");
    const parts = alternatives?.map((one) => withSentFields(one as JsonSchema, sent));
    const { anyOf: _, ...rest } = type;
    return [
      name,
      parts === undefined ? type : parts.length === 1 ? { ...parts[0], ...rest } : { ...rest, anyOf: parts },
    ] as const;
  });
  const required = Object.keys(properties).filter((name) => !sent.absent.includes(name));
  return {
    ...schema,
    properties: Object.fromEntries(fields),
    required: [...new Set([...(schema.required ?? []), ...required])],
  };
}

interface Media {
  readonly schema: JsonSchema;
  example?: unknown;
}

/** Adds an example to every JSON body that has none, and to every parameter. */
function addExamples(
  paths: Readonly<Record<string, Record<string, unknown>>>,
  schemas: Readonly<Record<string, JsonSchema>>,
): void {
  const json = (content: unknown): Media | undefined => Object(content)["application/json"];
  for (const operation of Object.values(paths).flatMap((one) => Object.values(one))) {
    const { requestBody, responses, parameters = [] } = Object(operation);
    const request = json(Object(requestBody).content);
    if (request) request.example = exampleOf(request.schema, schemas, { requiredOnly: true });
    for (const response of Object.values(Object(responses))) {
      const media = json(Object(response).content);
      if (media) media.example ??= exampleOf(media.schema, schemas, { requiredOnly: false });
    }
    for (const parameter of parameters) {
      parameter.example = exampleOf(parameter.schema, schemas, { requiredOnly: true, name: parameter.name });
    }
  }
}

const components = "#/components/schemas/";

/** Makes references point to the components, and adds the discriminator of a union. */
function finish(key: string, value: unknown, schemas: Readonly<Record<string, JsonSchema>>): unknown {
  if (key === "$ref" && typeof value === "string") return value.replace("#/$defs/", components);
  if (!isUnion(value)) return value;
  const shapes = value.oneOf.map(({ $ref }) => [$ref, schemas[$ref.replace(components, "")]] as const);
  const propertyName = Object.keys(shapes[0]?.[1]?.properties ?? {}).find((name) =>
    shapes.every(([, shape]) => constant(shape, name) !== undefined),
  );
  if (propertyName === undefined) return value;
  const mapping = Object.fromEntries(shapes.map(([ref, shape]) => [constant(shape, propertyName), ref]));
  return { ...value, discriminator: { propertyName, mapping } };
}

const isUnion = (value: unknown): value is { oneOf: { $ref: string }[] } =>
  typeof value === "object" &&
  value !== null &&
  "oneOf" in value &&
  Array.isArray(value.oneOf) &&
  value.oneOf.every((shape) => typeof shape?.$ref === "string");

const constant = (shape: JsonSchema | undefined, name: string): string | undefined => {
  const property = shape?.properties?.[name];
  // Code generators treat the values of a discriminator as strings, so they would type a boolean discriminator as text.
  return typeof property === "object" && typeof property.const === "string" ? property.const : undefined;
};
