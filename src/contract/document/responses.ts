import type * as z from "zod";
import { type ErrorBody, errors } from "../errors.ts";
import type { Operation } from "../operation.ts";

export type JsonSchema = z.core.JSONSchema.BaseSchema;
export type ToJsonSchema = (schema: z.ZodType) => JsonSchema;

/** What a server adds to the documented limits and responses of an operation. */
export interface Additions {
  /** Limits of fields of the request, by name. They are merged into the documented schemas. */
  readonly fields?: Readonly<Record<string, object>>;
  /** Sentences on what the server refuses, for the description of the operation. */
  readonly notes?: readonly string[];
  /** Descriptions of headers that any response may have, by name. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly errors?: readonly ErrorResponse[];
  /** The schema of error bodies: the fields of the documented schema, and more. */
  readonly errorBody?: z.ZodType;
  /** Creates an example of the body of an error. By default, the documented body. */
  readonly exampleOf?: (error: ErrorResponse) => object;
  /** Descriptions of responses without a body, by status. */
  readonly empty?: Readonly<Record<number, string>>;
}

interface ErrorResponse {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** The `responses` object of an operation in an OpenAPI document, by status. */
export function responses(
  operation: Operation,
  schema: ToJsonSchema,
  error: JsonSchema,
  { headers, errors: more = [], empty = {}, errorBody, exampleOf = documentedBody }: Additions = {},
): Record<string, object> {
  const documented = operation.errors.map((code) => ({ code, ...errors[code] }));
  const byStatus = {
    200: success(operation, schema),
    ...mapValues(empty, (description) => ({ description })),
    ...failures([...documented, ...more], errorBody ? schema(errorBody) : error, exampleOf),
  };
  const descriptions = { ...(operation.sunset && { Sunset: "When this path is removed" }), ...headers };
  if (Object.keys(descriptions).length === 0) return byStatus;
  const withSchemas = mapValues(descriptions, (description) => ({ description, schema: { type: "string" } }));
  return mapValues(byStatus, (response) => ({ ...response, headers: withSchemas }));
}

const success = ({ output, streams }: Operation, schema: ToJsonSchema) => ({
  description: output.description ?? "Success",
  content: {
    "application/json": { schema: schema(output) },
    ...(streams && { [streams]: { schema: { type: "string", description: "One event per chunk" } } }),
  },
});

const failures = (
  all: readonly ErrorResponse[],
  schema: JsonSchema,
  exampleOf: (error: ErrorResponse) => object,
) =>
  Object.fromEntries(
    all.map((error) => [
      error.status,
      {
        description: error.message,
        content: { "application/json": { schema, example: exampleOf(error) } },
      },
    ]),
  );

const documentedBody = ({ code, message }: ErrorResponse): ErrorBody => ({ code, message, issues: [] });

const mapValues = <From, To>(record: Readonly<Record<string, From>>, map: (value: From) => To) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
