import { type OperationId, operations } from "../../src/contract/index.ts";

export const origin = "http://sandbox.test";

/** The request that carries an input to an operation, with a key or without one. */
export function requestFor(id: OperationId, input: object, key: string | null): Request {
  const { method, path, in: place } = operations[id];
  const url = new URL(path, origin);
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
