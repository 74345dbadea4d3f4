import type { HonoRequest } from "hono";
import type { Field, FieldKind } from "../contract/field.ts";
import { fieldsOf } from "../contract/fields.ts";
import type { Operation } from "../contract/operation.ts";
import { Refusal } from "./refusal.ts";

/**
 * What the caller sent, not yet checked: the JSON object of the body, or the query or the path with each field as its kind.
 * @throws Refusal when the body is not a JSON object
 */
export function readInput(
  operation: Pick<Operation, "in" | "input">,
  request: HonoRequest,
): Promise<unknown> {
  if (operation.in === "body") return jsonBody(request);
  const fields = fieldsOf(operation.input);
  if (operation.in === "path") return Promise.resolve(pathValues(fields, request));
  return Promise.resolve(operation.in === "query" ? query(fields, request) : {});
}

async function jsonBody(request: HonoRequest): Promise<object> {
  const body = parse(await request.text());
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw unreadable("the body must be a JSON object");
  }
  return body;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable(`the body is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

const unreadable = (message: string) => new Refusal("BAD_REQUEST", [{ path: [], message }]);

const pathValues = (fields: readonly Field[], request: HonoRequest): Record<string, unknown> =>
  Object.fromEntries(
    fields.map(({ name, kind }) => {
      const text = request.param(name);
      return [name, text === undefined ? undefined : ofKind(kind, text)];
    }),
  );

/** A field that is given twice stays a list, and a text that is none of its kind a text: the check says what is wrong. */
function query(fields: readonly Field[], request: HonoRequest): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap(({ name, kind }) => {
      const [first, ...more] = request.queries(name) ?? [];
      if (first === undefined) return [];
      return [[name, more.length === 0 ? ofKind(kind, first) : [first, ...more]]];
    }),
  );
}

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false };

/** A number as JSON writes it. */
const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i;

function ofKind(kind: FieldKind, text: string): unknown {
  if (kind === "boolean") return booleans[text] ?? text;
  if (kind === "number" || kind === "integer") return jsonNumber.test(text) ? Number(text) : text;
  return text;
}
