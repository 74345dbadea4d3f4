import { listDescribed, rawCall } from "../client/call.ts";
import type { BufferedResponse } from "../client/response.ts";
import { NotOffered, reasonOf } from "../core/errors.ts";
import { isRecord, parseJson } from "../core/json.ts";
import { assertList, assertSuccess, assertValues } from "../core/responses/success.ts";
import { InvalidResponse, isRead, UnknownOutcome } from "../core/service-errors.ts";
import {
  type DescribedOperation,
  describedOperations,
  isDescribedAsJson,
  methods,
} from "../openapi/described.ts";
import type { Description } from "../openapi/document.ts";
import { type Found, type Named, namedByPath, operationOfPath, operationsWithId } from "../openapi/find.ts";
import { pages, pagingOf } from "../openapi/paging.ts";
import { type DescribedRequest, isReservedHeader, requestOf } from "../openapi/request.ts";
import {
  apiKeyFields,
  type BodyField,
  bodyOf,
  modelsListing,
  optionsListing,
  removalRequest,
  resourceOperation,
  sshKeyFields,
} from "../openapi/resources.ts";
import type { OpenCall } from "./connection.ts";
import { assertObject } from "./documented.ts";
import { InvalidInput } from "./errors.ts";
import { shown } from "./options.ts";

/**
 * Operations that the service's documentation does not describe: it only names their groups. They are found in the
 * service's OpenAPI description by their methods and paths, because the documentation does not name their ids.
 */
const finders = {
  listRentalOptions: optionsListing,
  listChatModels: modelsListing,
  getBalance: (description) => resourceOperation(description, "balance", "list"),
  listUsage: (description) => resourceOperation(description, "usage", "list"),
  listInvoices: (description) => resourceOperation(description, "invoices", "list"),
  listApiKeys: (description) => resourceOperation(description, "apiKeys", "list"),
  createApiKey: (description) => resourceOperation(description, "apiKeys", "create"),
  revokeApiKey: (description) => resourceOperation(description, "apiKeys", "remove"),
  listSshKeys: (description) => resourceOperation(description, "sshKeys", "list"),
  createSshKey: (description) => resourceOperation(description, "sshKeys", "create"),
  deleteSshKey: (description) => resourceOperation(description, "sshKeys", "remove"),
} as const satisfies Record<string, (description: Description) => DescribedOperation | undefined>;

type FoundId = keyof typeof finders;

/** Finds an operation in the description, and returns both. @throws NotOffered when the description does not list it */
async function located(id: FoundId, { describe }: OpenCall) {
  const description = await describe();
  const operation = finders[id](description);
  if (operation === undefined) throw notListed(id);
  return { operation, description };
}

const notListed = (operation: string): NotOffered =>
  new NotOffered(
    `the service's description lists no operation for ${operation}`,
    "Nothing was sent. `gpuctl api list` shows what the service offers.",
  );

/** Functions that call the operations above. They take the inputs of the client's methods. */
export const describedCalls: Readonly<Record<FoundId, (input: unknown, open: OpenCall) => Promise<unknown>>> =
  {
    listRentalOptions: (_input, open) => allRecordsOf("listRentalOptions", open),
    listChatModels: (_input, open) => allRecordsOf("listChatModels", open),
    listUsage: (_input, open) => allRecordsOf("listUsage", open),
    listInvoices: (_input, open) => allRecordsOf("listInvoices", open),
    listApiKeys: (_input, open) => allRecordsOf("listApiKeys", open),
    listSshKeys: (_input, open) => allRecordsOf("listSshKeys", open),
    getBalance: async (_input, open) => {
      const { operation } = await located("getBalance", open);
      return objectOf(await rawCall(partsOf(operation), open.settings));
    },
    createApiKey: (input, open) => {
      const { name, access } = textsIn("createApiKey", input, ["name"], ["access"]);
      return create("createApiKey", apiKeyFields(name ?? "", access), open);
    },
    createSshKey: (input, open) => {
      const { name, publicKey } = textsIn("createSshKey", input, ["name", "publicKey"]);
      return create("createSshKey", sshKeyFields(name ?? "", publicKey ?? ""), open);
    },
    revokeApiKey: (input, open) => remove("revokeApiKey", input, open),
    deleteSshKey: (input, open) => remove("deleteSshKey", input, open),
  };

export type DescribedId = keyof typeof describedCalls;

const partsOf = ({ method, path }: DescribedOperation) => ({
  method,
  path,
  host: path.startsWith("/v1/") ? ("inference" as const) : ("compute" as const),
});

async function allRecordsOf(id: FoundId, open: OpenCall): Promise<readonly unknown[]> {
  const { operation } = await located(id, open);
  const { settings } = open;
  return listDescribed(operation, {
    request: (parts) => rawCall({ ...parts, host: partsOf(operation).host }, settings),
    say: settings.warn,
  });
}

async function create(id: FoundId, fields: readonly BodyField[], open: OpenCall): Promise<unknown> {
  const { operation, description } = await located(id, open);
  const { body, unknown } = bodyOf(description, operation, fields);
  if (unknown.length > 0) {
    throw new NotOffered(
      `the service's operation for ${id} does not accept, or also requires, these fields: ${unknown.join(", ")}`,
      `Nothing was sent. To send other fields, use call(${JSON.stringify(operation.id)}, ...).`,
    );
  }
  if (open.validate) await assertBody(id, operation, body, description);
  const response = await rawCall({ ...partsOf(operation), body: JSON.stringify(body) }, open.settings);
  return objectOf(response);
}

async function remove(name: FoundId, input: unknown, open: OpenCall): Promise<unknown> {
  const id = idIn(name, input, "id");
  const { operation, description } = await located(name, open);
  const response = await rawCall(removalRequest(description, operation, id), open.settings);
  return removalOf(response) ?? { success: true };
}

/** The id in an input, as text. @throws InvalidInput when it is not an id */
export function idIn(operation: string, input: unknown, field: string): string {
  assertObject(operation, input);
  const id = input[field];
  if ((typeof id === "string" && id !== "") || (typeof id === "number" && Number.isSafeInteger(id))) {
    return String(id);
  }
  const message = id === undefined ? "is required" : `must be an ID, not ${shown(id)}`;
  throw new InvalidInput(operation, [{ path: [field], message }]);
}

/** Returns the texts of an input. @throws InvalidInput when a text is missing or invalid, or a field is unknown */
function textsIn(
  operation: string,
  input: unknown,
  required: readonly string[],
  optional: readonly string[] = [],
): Readonly<Record<string, string | undefined>> {
  assertObject(operation, input);
  const names = [...required, ...optional];
  const issues = [
    ...names.flatMap((name) => {
      const value = input[name];
      if (value === undefined)
        return required.includes(name) ? [{ path: [name], message: "is required" }] : [];
      return typeof value === "string" && value !== ""
        ? []
        : [{ path: [name], message: `must be a non-empty string, not ${shown(value)}` }];
    }),
    ...Object.keys(input)
      .filter((name) => !names.includes(name))
      .map((name) => ({ path: [name], message: "is not a field of this operation" })),
  ];
  if (issues.length > 0) throw new InvalidInput(operation, issues);
  return input as Record<string, string | undefined>;
}

/** Sends any operation that is named by its id or by its method and path. */
export async function callAny(name: string, input: unknown, open: OpenCall): Promise<unknown> {
  const { parts, operation } = await preparedRequest(name, input, open);
  const response = await rawCall(parts, open.settings);
  if (!isRead(parts) && response.bytes.length > 0) {
    const { status } = response;
    // A gateway may respond to a write with a page and status 200. If JSON is expected, a page is an error.
    if (isDescribedAsJson({ status, type: response.header("content-type") }, operation))
      return jsonOf(response);
    // Checked whatever the media type is, because a failure may be labeled as text.
    assertSuccess(parseJson(response.text()), response);
  }
  return contentOf(response);
}

/** The records of any list, fetched page by page. */
export async function* anyRecords(name: string, input: unknown, open: OpenCall): AsyncGenerator<unknown> {
  const { parts, operation } = await preparedRequest(name, input, open);
  if (!isRead(parts))
    throw new TypeError(`iterate requires an operation that returns a list, not ${shown(name)}`);
  const paging = pagingOf(operation?.parameters.map((parameter) => parameter.name) ?? []);
  const paged = Object.values(paging).some((parameter) => parameter !== undefined);
  const send = async (query: (typeof parts)["query"]) => {
    const response = await rawCall({ ...parts, query }, open.settings);
    const page = contentOf(response);
    assertList(page, response.status, response.request);
    return page;
  };
  const first = { paging, query: parts.query, paged, warn: open.settings.warn };
  for await (const page of pages(send, first)) yield* page;
}

async function preparedRequest(name: string, input: unknown, open: OpenCall): Promise<DescribedRequest> {
  const named = namedBy(name);
  assertObject(name, input);
  const { found, description } = await findOperation(named, open);
  const request = requestOf({ named, found, fields: input });
  if (description && open.validate) await assertRequest(name, request, description);
  return request;
}

/** Parses an operation id, or a method and a path such as `GET /v2/on-demand/rental`. */
function namedBy(name: unknown): Named {
  const [, method, path] = typeof name === "string" ? (/^(\w+) (\/.*)$/.exec(name) ?? []) : [];
  if (method !== undefined && path !== undefined && methods.some((one) => one === method.toLowerCase())) {
    return namedByPath(method.toUpperCase(), path);
  }
  if (typeof name === "string" && /^[^\s/]+$/.test(name)) return { id: name };
  throw new TypeError(
    `an operation is named by its ID such as getRental, or by a method and a path such as GET /v2/on-demand/rental, not by ${shown(name)}`,
  );
}

/**
 * Finds the operation that a caller names. A method and a path are enough to send a request, so for them `found` is
 * undefined if the description cannot be fetched or does not list the operation.
 */
async function findOperation(
  named: Named,
  { describe, settings }: OpenCall,
): Promise<{ readonly found?: Found | undefined; readonly description?: Description | undefined }> {
  if (!("id" in named)) {
    const description = await settings.descriptions.get();
    return { found: description && operationOfPath(named, describedOperations(description)), description };
  }
  const description = await describe();
  const [byId, ...others] = operationsWithId(named.id, describedOperations(description));
  if (others.length > 0) {
    throw new InvalidInput(named.id, [
      { path: [], message: "several operations have this ID; use the method and the path" },
    ]);
  }
  const finder = Object.entries(finders).find(([id]) => id === named.id)?.[1];
  const operation = byId ?? finder?.(description);
  if (operation === undefined) throw notListed(named.id);
  return { found: { operation, pathValues: {} }, description };
}

/** Checks a request against the description of its operation. @throws InvalidInput */
async function assertRequest(
  name: string,
  { operation, values, body }: DescribedRequest,
  description: Description,
): Promise<void> {
  if (operation === undefined) return;
  const { limitedPatterns, schemaIssues } = await import("../openapi/schema-check.ts");
  const patterns = limitedPatterns();
  const issues: { path: readonly string[]; message: string }[] = [];
  const check = (schema: unknown, value: unknown, path: readonly string[], fromText: boolean) => {
    const found = schemaIssues(schema, value, { description, fromText, patterns }) ?? [];
    issues.push(...found.map((one) => ({ path: [...path, ...one.path], message: one.message })));
  };
  for (const parameter of operation.parameters) {
    const { name: field, in: place, required, schema } = parameter;
    if ((place !== "path" && place !== "query" && place !== "header") || isReservedHeader(parameter))
      continue;
    const value = values[place][field];
    if (value !== undefined) check(schema, value, [field], true);
    else if (required) issues.push({ path: [field], message: "is required" });
  }
  const known = operation.parameters.map((parameter) => parameter.name);
  for (const field of Object.keys(values.query)) {
    if (known.some((one) => one === field || one.startsWith(`${field}[`))) continue;
    issues.push({ path: [field], message: "is not a field of this operation" });
  }
  if (operation.body?.schema !== undefined && body !== undefined)
    check(operation.body.schema, body, [], false);
  if (issues.length > 0) throw new InvalidInput(name, issues);
}

const assertBody = (name: string, operation: DescribedOperation, body: unknown, description: Description) =>
  assertRequest(
    name,
    {
      operation: { ...operation, parameters: [] },
      values: { path: {}, query: {}, header: {} },
      body,
      wholeBody: true,
      parts: { ...partsOf(operation), headers: {}, query: [], body: undefined },
    },
    description,
  );

/**
 * Returns the object in a response. Ignores the media type, because a gateway in front of the service may label JSON as
 * text. Throws as `jsonOf` does.
 * @throws InvalidResponse if a response to a read is not an object, or `UnknownOutcome` after a write
 */
function objectOf(response: BufferedResponse): Readonly<Record<string, unknown>> {
  const value = jsonOf(response);
  if (isRecord(value)) return value;
  throw invalid("the response is not an object", response);
}

/**
 * Returns the object in the response to a removal; undefined if the response is empty, because the status alone can say
 * that the removal succeeded. Throws as `objectOf` does.
 */
export const removalOf = (response: BufferedResponse): Readonly<Record<string, unknown>> | undefined =>
  response.text().trim() === "" ? undefined : objectOf(response);

/**
 * Returns the value of a response: null if it is empty, the parsed value if it is JSON, a string if it is other text,
 * and otherwise its bytes. Throws as `jsonOf` does.
 */
function contentOf(response: BufferedResponse): unknown {
  const { bytes } = response;
  const type = response.header("content-type") ?? "application/json";
  if (bytes.length === 0) return null;
  if (!/[/+]json\b/i.test(type)) return /^text\//i.test(type) ? response.text() : bytes;
  return jsonOf(response);
}

/**
 * Parses a response as JSON, and checks that it does not report a failure: see `assertSuccess`.
 * @throws InvalidResponse if a response to a read is not JSON, and `ResponseTooLarge` if it has too many values
 * @throws UnknownOutcome if a response to a write is not JSON or has too many values
 */
function jsonOf(response: BufferedResponse): unknown {
  const { request, maxValues } = response;
  const text = response.text();
  try {
    assertValues(text, maxValues);
  } catch (error) {
    throw isRead(request) ? error : invalid(reasonOf(error), response);
  }
  const value = parseJson(text);
  if (value === undefined) throw invalid("the response is not JSON", response);
  assertSuccess(value, response);
  return value;
}

const invalid = (reason: string, { status, request, bytes }: BufferedResponse): Error =>
  isRead(request)
    ? new InvalidResponse(reason, status, request)
    : new UnknownOutcome(reason, status, request, { received: { bytes, complete: true } });
