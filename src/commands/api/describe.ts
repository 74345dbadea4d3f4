import { defineCommand } from "../../command-kit/define.ts";
import type { DescribedOperation, DescribedResponse } from "../../openapi/described.ts";
import type { Description } from "../../openapi/document.ts";
import { fieldsOfSchema, type ShownField, shownField, typeText } from "../../openapi/schema-fields.ts";
import { namedBy, operationArgs, requireOperation } from "./find.ts";
import { sampleCall } from "./sample.ts";

export default defineCommand({
  path: "api describe",
  summary: "Show what an operation takes and returns",
  args: operationArgs,
  view: { kind: "record", id: ["operationId"] },
  examples: [
    { text: "By its operation id", command: "gpuctl api describe createStorageVolume --sandbox" },
    {
      text: "Describe a method and path as JSON",
      command: "gpuctl api describe GET /v2/on-demand/rental -o json --sandbox",
    },
  ],
  run: async ({ args, describe }) => {
    const named = namedBy(args);
    const description = await describe();
    const shown = shownOperation(description, requireOperation(named, description));
    return { data: shown, rows: [lines(shown)] };
  },
});

interface Place extends ShownField {
  readonly in: string;
}

/** An operation, summarized. */
function shownOperation(description: Description, operation: DescribedOperation) {
  const { id, method, path, tags, summary, deprecated, parameters, body, responses } = operation;
  const fields: readonly Place[] = [
    ...parameters.map((parameter) => {
      const field = shownField(description, parameter.name, parameter.schema, parameter.required);
      return { in: parameter.in, ...field, description: parameter.description || field.description };
    }),
    ...fieldsOfSchema(description, body?.schema).map((field) => ({ in: "body", ...field })),
  ];
  return {
    operationId: id,
    method,
    path,
    group: tags[0] ?? null,
    summary,
    description: operation.description,
    deprecated,
    fields,
    responses: responses.map((response) => shownResponse(description, response)),
    example: sampleCall(description, operation),
  };
}

const shownResponse = (description: Description, response: DescribedResponse) => ({
  status: response.status,
  description: response.description,
  type: response.schema === undefined ? null : typeText(description, response.schema),
  fields: fieldsOfSchema(description, response.schema),
});

type Shown = ReturnType<typeof shownOperation>;

/** For people, one fact per line. */
function lines(shown: Shown): Readonly<Record<string, string>> {
  const { operationId, method, path, group, summary, description, deprecated, fields, responses, example } =
    shown;
  return {
    operation: operationId,
    request: `${method} ${path}`,
    ...(group !== null && { group }),
    ...(summary && { summary }),
    ...(description && { description: description.replace(/\s*\n+\s*/g, " ") }),
    ...(deprecated && { deprecated: "yes" }),
    ...Object.fromEntries(fields.map((field) => [`${field.in} ${field.name}`, fieldText(field)])),
    ...Object.fromEntries(
      responses.map(({ status, description, type }) => [`response ${status}`, joined([description, type])]),
    ),
    example,
  };
}

const fieldText = ({ type, required, choices, limits, default: value, description }: Place): string =>
  joined([
    required ? `${type}, required` : type,
    choices && `one of ${choices.join(", ")}`,
    limits,
    value !== null && `default ${typeof value === "string" ? value : JSON.stringify(value)}`,
    description,
  ]);

const joined = (parts: readonly (string | false | null)[]): string => parts.filter(Boolean).join("; ");
