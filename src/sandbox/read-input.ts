import { getQueryParams, tryDecodeURIComponent } from "hono/utils/url";
import type { Operation } from "../contract/operation.ts";
import type { Field, FieldKind } from "../contract/plain/field.ts";
import { fieldsOf } from "../contract/plain/fields.ts";
import { reasonOf } from "../core/errors.ts";
import { asList, isRecord } from "../core/json.ts";
import { ApiError } from "./errors.ts";
import type { PlainRequest } from "./http/exchange.ts";

/**
 * Reads the input of a request, without validating it: the JSON object in the body, or the fields of the query or the
 * path, each converted to its kind. `parameters` are the values in the path.
 * @throws ApiError when the body is not a JSON object, or has too many values
 * @throws BodyTooLarge
 */
export async function readInput(
  operation: Pick<Operation, "in" | "input">,
  request: PlainRequest,
  parameters: Readonly<Record<string, string>>,
): Promise<unknown> {
  if (operation.in === "body") {
    const body = parseBody(await request.text());
    if (!isRecord(body)) throw unreadable("the body must be a JSON object");
    return body;
  }
  if (operation.in === "none") return {};
  const fields = fieldsOf(operation.input);
  return operation.in === "path" ? pathValues(fields, parameters) : query(fields, request);
}

/** How many values a JSON body can have. Parsing many more would block the process for seconds. */
export const maxBodyValues = 100_000;

/** @throws ApiError when the text is not JSON, or has too many values */
export function parseBody(text: string): unknown {
  if (hasTooManyValues(text)) throw unreadable(`the body has more than ${maxBodyValues} values`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable(`the body is not JSON: ${reasonOf(error)}`);
  }
}

/**
 * Whether a JSON text has more than about `maxBodyValues` values. Counts the commas, and the brackets that begin a
 * list or an object, but not those inside strings.
 */
function hasTooManyValues(text: string): boolean {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === "," || character === "[" || character === "{") count += 1;
    if (count > maxBodyValues) return true;
  }
  return false;
}

/** The position of the quote that ends a JSON string, or the end of the text. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text[first - 1] === "\\") first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}

const unreadable = (message: string) => new ApiError("BAD_REQUEST", [{ path: [], message }]);

const pathValues = (
  fields: readonly Field[],
  parameters: Readonly<Record<string, string>>,
): Record<string, unknown> =>
  Object.fromEntries(
    fields.map(({ name, kind }) => [name, ofKind(kind, tryDecodeURIComponent(parameters[name] ?? ""))]),
  );

/**
 * Reads the fields of a query. A repeated field becomes a list. An invalid value stays a string, so that validation
 * reports it.
 */
function query(fields: readonly Field[], { url }: PlainRequest): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap(({ name, kind }) => {
      const [first, ...more] = asList(getQueryParams(url, name)).map(String);
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
