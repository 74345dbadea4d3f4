import type { DescribedOperation, DescribedResponse } from "../../client/described.ts";
import type { Description } from "../../client/document.ts";
import type { Verb } from "../spec.ts";
import { namedBy, needOperation } from "./find.ts";
import { sampleCall } from "./sample.ts";
import { fieldsOfSchema, type ShownField, shownField, typeText } from "./schema-fields.ts";

export const verb: Verb<object> = {
  run: async (_input, { describe }, args) => {
    const named = namedBy(args);
    const description = await describe();
    const shown = shownOperation(description, needOperation(named, description).operation);
    return { data: shown, rows: [lines(shown)] };
  },
};

interface Place extends ShownField {
  readonly in: string;
}

/** An operation in plain words. */
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
    answers: responses.map((response) => shownResponse(description, response)),
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

/** For people: a line for each thing that is to be said. */
function lines(shown: Shown): Readonly<Record<string, string>> {
  const { operationId, method, path, group, summary, description, deprecated, fields, answers, example } =
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
      answers.map(({ status, description, type }) => [`answer ${status}`, joined([description, type])]),
    ),
    example,
  };
}

const fieldText = ({ type, required, choices, limits, default: usual, description }: Place): string =>
  joined([
    required ? `${type}, required` : type,
    choices && `one of ${choices.join(", ")}`,
    limits,
    usual !== null && `default ${typeof usual === "string" ? usual : JSON.stringify(usual)}`,
    description,
  ]);

const joined = (parts: readonly (string | false | null)[]): string => parts.filter(Boolean).join("; ");
