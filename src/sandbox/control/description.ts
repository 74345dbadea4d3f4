import type * as z from "zod";
import { exampleOf } from "../../contract/document/examples.ts";
import { schemaCollector } from "../../contract/document/json-schema.ts";
import type { JsonSchema, ToJsonSchema } from "../../contract/document/responses.ts";
import { type ErrorCode, errorBody, errors } from "../../contract/errors.ts";
import { engineKinds, servedControls } from "../../core/sandbox.ts";
import { type Control, controls } from "./table.ts";

const scheme = "token";
const title = "Controls of the gpuctl sandbox";

/** The OpenAPI 3.1 description of the controls that are served at `origin`. */
export function controlDescription(origin: string): object {
  const { schema, schemas } = schemaCollector();
  const error = schema(errorBody);
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, control] of Object.entries(controls)) {
    const path = servedControls.path + control.path;
    const operation = operationObject(name, control, { schema, schemas, error });
    paths[path] = { ...paths[path], [control.method.toLowerCase()]: operation };
  }
  const document = {
    openapi: "3.1.0",
    info: {
      title,
      version: "1.0.0",
      description:
        "Reads and changes the state of a sandbox. Programs on the same machine need no credential. Programs on other machines need the token that the sandbox is served with.",
      contact: { name: title },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: origin }],
    security: [{ [scheme]: [] }, {}],
    paths,
    components: { securitySchemes: { [scheme]: { type: "http", scheme: "bearer" } }, schemas },
  };
  return JSON.parse(JSON.stringify(document), (key, value) =>
    key === "$ref" ? String(value).replace("#/$defs/", "#/components/schemas/") : value,
  );
}

interface Schemas {
  readonly schema: ToJsonSchema;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly error: JsonSchema;
}

function operationObject(
  operationId: string,
  { path, summary, command, query, body, example, isDocument, output }: Control,
  { schema, schemas, error }: Schemas,
): object {
  const variable = /\{(\w+)\}/.exec(path)?.[1];
  const content = (type: z.ZodType) => {
    const own = schema(type);
    return { schema: own, example: exampleOf(own, schemas, { requiredOnly: true }) };
  };
  const failure = (code: ErrorCode) => [
    errors[code].status,
    {
      description: errors[code].message,
      content: {
        "application/json": { schema: error, example: { code, message: errors[code].message, issues: [] } },
      },
    },
  ];
  const mayBeMissing = variable !== undefined && variable !== "kind";
  return {
    operationId,
    summary,
    description: command === undefined ? `${summary}.` : `${summary}, as \`gpuctl ${command}\` does.`,
    ...(operationId === "health" && { security: [] }),
    parameters: [
      ...(variable === undefined
        ? []
        : [{ name: variable, in: "path", required: true, schema: variableSchemas[variable] }]),
      ...(query === undefined ? [] : queryParameters(schema(query))),
    ],
    ...(body !== undefined && {
      requestBody: {
        required: true,
        content: {
          "application/json": { schema: schema(body), example },
          ...(isDocument && { "application/yaml": { schema: { type: "string" } } }),
        },
      },
    }),
    responses: {
      200: {
        description: "Success",
        content:
          output === undefined
            ? { "image/*": { schema: { type: "string" } }, "audio/*": { schema: { type: "string" } } }
            : { "application/json": content(output) },
      },
      ...Object.fromEntries([
        ...(body !== undefined || query !== undefined ? [failure("BAD_REQUEST")] : []),
        failure("UNAUTHORIZED"),
        failure("FORBIDDEN"),
        ...(mayBeMissing ? [failure("NOT_FOUND")] : []),
      ]),
    },
  };
}

const variableSchemas: Readonly<Record<string, object>> = {
  id: { type: "integer", minimum: 1 },
  kind: { type: "string", enum: engineKinds },
};

const whereText = "Only requests with this value of a field, as `FIELD=VALUE`";

/** The parameters of a query. `where` is sent once for each condition on a field, such as `where=rentalId=1`. */
const queryParameters = ({ properties = {} }: JsonSchema): readonly object[] =>
  Object.entries(properties).map(([name, property]) => {
    const { description, ...own } = property as JsonSchema;
    return {
      name,
      in: "query",
      ...(name === "where" ? { description: whereText } : description && { description }),
      schema: name === "where" ? { type: "array", items: { type: "string", pattern: "^[^=]+=" } } : own,
    };
  });
