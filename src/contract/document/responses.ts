import type * as z from "zod";
import { errors } from "../errors.ts";
import type { Operation } from "../operation.ts";

export type Json = z.core.JSONSchema.BaseSchema;
export type Describe = (schema: z.ZodType) => Json;

/** What a server answers to an operation beyond what the table says. */
export interface Additions {
  /** Headers that any of the answers may have, and what they tell. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly errors?: readonly ErrorAnswer[];
  /** Answers without a body, by status, and what they mean. */
  readonly empty?: Readonly<Record<number, string>>;
}

/** A status, and the body that goes with it. */
interface ErrorAnswer {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** The answers of an operation as a description has them, by status. */
export function responses(
  operation: Operation,
  schema: Describe,
  error: Json,
  { headers, errors: more = [], empty = {} }: Additions = {},
): Record<string, object> {
  const documented = operation.errors.map((code) => ({ code, ...errors[code] }));
  const answers = {
    200: success(operation, schema),
    ...without(empty),
    ...failures([...documented, ...more], error),
  };
  const told = { ...(operation.sunset && { Sunset: "When this path stops being served" }), ...headers };
  return Object.keys(told).length === 0 ? answers : withHeaders(answers, told);
}

const success = ({ output, streams }: Operation, schema: Describe) => ({
  description: output.description ?? "Success",
  content: {
    "application/json": { schema: schema(output) },
    ...(streams && { [streams]: { schema: { type: "string", description: "One event for each part" } } }),
  },
});

const without = (answers: Readonly<Record<number, string>>) =>
  Object.fromEntries(Object.entries(answers).map(([status, description]) => [status, { description }]));

const failures = (answers: readonly ErrorAnswer[], schema: Json) =>
  Object.fromEntries(
    answers.map(({ status, code, message }) => [
      status,
      {
        description: message,
        content: { "application/json": { schema, example: { code, message, issues: [] } } },
      },
    ]),
  );

function withHeaders(answers: Readonly<Record<string, object>>, texts: Readonly<Record<string, string>>) {
  const headers = Object.fromEntries(
    Object.entries(texts).map(([name, description]) => [name, { description, schema: { type: "string" } }]),
  );
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [status, { ...answer, headers }]),
  );
}
