import * as z from "zod";
import type { openApiDocument } from "../description.ts";
import { errorBody } from "../errors.ts";
import { documentedInputOf, groups, type Operation } from "../operation.ts";
import { tidy } from "./json-schema.ts";
import { type Additions, type JsonSchema, responses, type ToJsonSchema } from "./responses.ts";

export type OpenApiDocument = z.output<typeof openApiDocument>;

interface OpenApiOptions {
  /** Base URLs that serve the operations. */
  readonly servers: readonly string[];
  readonly title?: string;
  /** Describes what each operation accepts, which may be more than the service documents. */
  readonly accepted?: boolean;
  /** What this server adds to the documented responses. */
  readonly additions?: (operation: Operation) => Additions;
}

const securityScheme = "Authorization";

/** An OpenAPI 3.1 document that describes only the given operations (service section 2.7). Named schemas become components. */
export function openApi(operations: readonly Operation[], options: OpenApiOptions): OpenApiDocument {
  const schemas: Record<string, JsonSchema> = {};
  const schema: ToJsonSchema = (type) => {
    const { $schema: _, $defs, ...own } = z.toJSONSchema(type, { io: "input", override: tidy });
    Object.assign(schemas, $defs);
    return own;
  };
  const error = schema(errorBody);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: operationObject(
        operation,
        schema(options.accepted ? operation.input : documentedInputOf(operation)),
        schema,
        error,
        options.additions?.(operation),
      ),
    };
  }
  const document = {
    openapi: "3.1.0",
    info: {
      title: options.title ?? "Compute and inference service",
      version: "2.0.0",
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
    ...description(operation),
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

/** What the schema cannot express: the rules across fields, and the replacement of a deprecated operation. */
function description({ rules = [], replacedBy, sunset, assumed }: Operation): { description?: string } {
  const fixed = Object.entries(replacedBy?.with ?? {}).map(([field, value]) => `${field} ${value}`);
  const sentences = [
    ...rules.map((rule) => `${rule.text}.`),
    ...(replacedBy ? [`Use ${[`${replacedBy.method} ${replacedBy.path}`, ...fixed].join(" with ")}.`] : []),
    ...(sunset ? [`Removed on ${sunset}.`] : []),
    ...(assumed ? ["Assumed by the sandbox; the service may behave differently."] : []),
  ];
  return sentences.length === 0 ? {} : { description: sentences.join("\n\n") };
}

const parameters = (input: JsonSchema, place: "query" | "path") =>
  Object.entries(input.properties ?? {}).map(([name, property]) => {
    const { description, ...schema } = property as JsonSchema;
    return { name, in: place, required: input.required?.includes(name) ?? false, description, schema };
  });

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
  return typeof property === "object" && property.const !== undefined ? String(property.const) : undefined;
};
