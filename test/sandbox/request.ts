import { type OperationId, operations } from "../../src/contract/index.ts";
import type { Operation } from "../../src/contract/operation.ts";
import { type AssumedId, assumedOperations } from "../../src/sandbox/assumed/index.ts";

export const origin = "http://sandbox.test";

/** The request that carries an input to an operation, with a key or without one. */
export const requestFor = (id: OperationId, input: object, key: string | null): Request =>
  request(operations[id], input, key);

/** Like `requestFor`, for an operation that the sandbox assumes. */
export const requestForAssumed = (id: AssumedId, input: object, key: string | null): Request =>
  request(assumedOperations[id], input, key);

function request(
  { method, path, in: place }: Pick<Operation, "method" | "path" | "in">,
  input: object,
  key: string | null,
): Request {
  const url = new URL(
    place === "path" ? path.replace(/\{(\w+)\}/g, (_, name) => String(Object(input)[name])) : path,
    origin,
  );
  if (place === "query") {
    for (const [name, value] of Object.entries(input)) url.searchParams.set(name, String(value));
  }
  return new Request(url, {
    method,
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(place === "body" && { "content-type": "application/json" }),
    },
    ...(place === "body" && { body: JSON.stringify(input) }),
  });
}
