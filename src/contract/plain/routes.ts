import * as z from "zod";
import { type OperationId, operations } from "../index.ts";
import { documentedInputOf, type Operation } from "../operation.ts";
import { fieldsOf } from "./fields.ts";
import type { Route } from "./route.ts";

/** Every operation as plain data, for `generated/routes.ts`. */
export const plainRoutes = (): Record<string, Route> =>
  Object.fromEntries(Object.keys(operations).map((id) => [id, route(operations[id as OperationId])]));

function route({
  id: _id,
  input,
  documentedInput,
  output,
  errors: _errors,
  streams: _streams,
  notes: _notes,
  rules,
  ...plain
}: Operation): Route {
  const list = output instanceof z.ZodArray && { list: true as const };
  return {
    ...plain,
    ...list,
    fields: fieldsOf(documentedInputOf({ input, documentedInput })),
    rules: (rules ?? []).map((rule) => rule.text),
  };
}
