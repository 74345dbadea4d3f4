import { defineCommand } from "../../command-kit/define.ts";
import { asText } from "../../core/json.ts";
import { commandLine } from "../../core/text.ts";
import type { DescribedOperation, DescribedResponse } from "../../openapi/described.ts";
import {
  bounded,
  type Description,
  membersOf,
  merged,
  type Schema,
  withNumericLimits,
} from "../../openapi/document.ts";
import { isReservedHeader } from "../../openapi/request.ts";
import { fieldsOfSchema, type ShownField, shownField, typeText } from "../../openapi/schema-fields.ts";
import { namedBy, operationArgs, requireOperation } from "./find.ts";
import { destroys } from "./request.ts";

export default defineCommand({
  path: "api describe",
  summary: "Show what an operation takes and returns",
  args: operationArgs,
  view: { kind: "record", id: ["operation", "operationId"] },
  examples: [
    { text: "Describe an operation by its ID", command: "gpuctl api describe createStorageVolume --sandbox" },
    {
      text: "Describe an operation by its method and path, as JSON",
      command: "gpuctl api describe GET /v2/on-demand/rental -o json --sandbox",
    },
  ],
  run: async ({ args, describe, say }) => {
    const named = namedBy(args);
    const description = await describe();
    const operation = requireOperation(named, description);
    const shown = bounded(
      () => shownOperation(description, operation),
      () => say("The description of this operation is too complex to show all of it."),
    );
    return { data: shown, rows: [lines(shown)] };
  },
});

interface OperationField extends ShownField {
  readonly in: string;
}

/** An operation as `-o json` prints it. */
function shownOperation(description: Description, operation: DescribedOperation) {
  const { id, method, path, tags, summary, deprecated, parameters, body, responses } = operation;
  const fields: readonly OperationField[] = [
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
    // Some descriptions begin with the summary, which is shown already.
    description: operation.description.replace(`${summary}.`, "").trimStart(),
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

/** An operation as a table shows it, one fact per line. */
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

const fieldText = ({
  type,
  required,
  choices,
  limits,
  default: value,
  description,
}: OperationField): string =>
  joined([
    required ? `${type}, required` : type,
    choices && `one of ${choices.join(", ")}`,
    limits,
    value !== null && `default ${typeof value === "string" ? value : JSON.stringify(value)}`,
    description,
  ]);

const joined = (parts: readonly (string | false | null)[]): string => parts.filter(Boolean).join("; ");

/** An example command line that calls an operation with its required fields. */
function sampleCall(description: Description, operation: DescribedOperation): string {
  const { id, method, path, parameters, body } = operation;
  const given = parameters
    .filter((parameter) => parameter.required && parameter.in !== "cookie" && !isReservedHeader(parameter))
    .flatMap(({ name, schema }) => flags(name, sample(description, schema)));
  const inBody = body?.required === true ? flags("", sample(description, body.schema)) : [];
  const target = id.includes(" ") ? [method, path] : [id];
  return commandLine("api call", target, [...given, ...inBody, ...(destroys(operation) ? ["--yes"] : [])]);
}

/** A value as `-f` and `-F` flags. For a whole body, `name` is empty. */
function flags(name: string, value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => flags(`${name}[]`, item));
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([key, inner]) =>
      flags(name === "" ? key : `${name}[${key}]`, inner),
    );
  }
  return [typeof value === "string" ? "-f" : "-F", `${name}=${value}`];
}

const maxDepth = 6;
const maxItems = 100;

/** An example value for a schema. */
function sample(description: Description, schema: unknown, depth = 0): unknown {
  const found = merged(description, schema);
  const shown =
    found.example ?? (Array.isArray(found.examples) ? found.examples[0] : undefined) ?? found.const;
  if (shown !== undefined) return shown;
  if (found.default !== undefined) return found.default;
  if (Array.isArray(found.enum)) return found.enum[0];
  const shapes = [found.oneOf, found.anyOf].find(Array.isArray);
  if (shapes && found.properties === undefined) {
    return depth > maxDepth ? {} : sample(description, shapes[0], depth + 1);
  }
  const type = Array.isArray(found.type) ? found.type[0] : found.type;
  if (type === "integer" || type === "number") return number(withNumericLimits(found), type);
  if (type === "boolean") return true;
  if (type === "array") {
    const items = Math.min(Math.max(1, numberOr(1, found.minItems)), maxItems);
    return depth > maxDepth
      ? []
      : Array.from({ length: items }, () => sample(description, found.items, depth + 1));
  }
  if (type === "string") return text(found);
  const { properties, required } = membersOf(description, found);
  if (depth > maxDepth) return {};
  return Object.fromEntries(required.map((name) => [name, sample(description, properties[name], depth + 1)]));
}

/** A number within the limits, if possible at least 1. */
function number(schema: Schema, type: "integer" | "number"): number {
  const [least, above] = [numberOr(-Infinity, schema.minimum), numberOr(-Infinity, schema.exclusiveMinimum)];
  const [most, below] = [numberOr(Infinity, schema.maximum), numberOr(Infinity, schema.exclusiveMaximum)];
  const step = numberOr(0, schema.multipleOf);
  const aligned = (value: number, round: (value: number) => number) =>
    step > 0 ? round(value / step) * step : value;
  const lowest = Math.max(1, least, Math.floor(above) + 1);
  const highest = Math.min(type === "integer" ? Math.floor(most) : most, Math.ceil(below) - 1);
  const value = aligned(lowest, Math.ceil);
  const limited = value <= highest ? value : aligned(highest, Math.floor);
  const isTooLow = limited < least || limited <= above;
  // Between 0 and 1, for example, there is no whole number.
  return isTooLow && type === "number" ? (Math.max(least, above) + Math.min(most, below)) / 2 : limited;
}

const samples: ReadonlyMap<string, string> = new Map([
  ["date-time", "2027-01-31T00:00:00Z"],
  ["date", "2027-01-31"],
  ["email", "ada@example.com"],
  ["uri", "https://example.com"],
  ["uuid", "00000000-0000-4000-8000-000000000000"],
]);

const text = ({ format, minLength }: Schema): string =>
  samples.get(asText(format)) ?? "text".padEnd(Math.min(numberOr(0, minLength), 200), "-");

/** A limit may have any type, because the description comes from the service. */
const numberOr = (otherwise: number, value: unknown): number =>
  typeof value === "number" ? value : otherwise;
