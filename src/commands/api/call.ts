import { STATUS_CODES } from "node:http";
import type { BufferedResponse } from "../../client/response.ts";
import type { Context } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { sandboxExamples } from "../../command-kit/examples.ts";
import { flag } from "../../command-kit/flag.ts";
import { assertWithinCost, budgetOf, picturePrice, warnOfUnknownPrice } from "../../command-kit/inference.ts";
import { jsonOf, noDescription } from "../../command-kit/responses.ts";
import { routes } from "../../contract/generated/routes.ts";
import type { OperationId } from "../../contract/index.ts";
import { EmptyResult, UsageError } from "../../core/errors.ts";
import { isRecord, parseJson, recordsOf as recordsIn } from "../../core/json.ts";
import { assertSuccess } from "../../core/responses/success.ts";
import type { Result } from "../../core/result.ts";
import { isRead } from "../../core/service-errors.ts";
import { readText } from "../../core/text.ts";
import type { View } from "../../core/view.ts";
import { type DescribedOperation, isDescribedAsJson } from "../../openapi/described.ts";
import { type Description, decoded } from "../../openapi/document.ts";
import type { Named } from "../../openapi/find.ts";
import { describedPages } from "../../openapi/paging.ts";
import type { DescribedRequest } from "../../openapi/request.ts";
import { json } from "../../output/json.ts";
import { recordsOf } from "../../output/records.ts";
import { everyColumn } from "../../output/table/columns.ts";
import { checkRequest } from "./check.ts";
import { fieldsFromFlags } from "./fields-from-flags.ts";
import { canResolve, findOperation, namedBy, operationArgs } from "./find.ts";
import { destroys, typedRequest } from "./request.ts";

export default defineCommand({
  path: "api call",
  summary: "Call any operation of the service",
  details:
    "Fields that are path, query or header parameters are sent as such. The other fields form the body. They are added to the query instead if --input sets the body, or if the operation is a GET, HEAD or DELETE without a body. If the service's OpenAPI description lists the operation, the request is first checked against it; --no-validate skips this check. A JSON response is printed as JSON unless you choose another format with --output, --columns or --no-header. null is a valid response: getRental returns it for a rental that does not exist.",
  args: operationArgs,
  flags: {
    rawField: flag.texts("A field as text; a[b]=1, a[]=1 and a[][b]=1 fill objects and lists", {
      short: "f",
      value: "KEY=VALUE",
      completes: "operation-field",
    }),
    field: flag.texts(
      "A field; the value @FILE sends the text of a file, and the value - sends stdin; a number, true, false or null is sent as JSON, and any other value as text",
      { short: "F", value: "KEY=VALUE", completes: "operation-field" },
    ),
    input: flag.text("File with the whole body, as JSON; - reads stdin", { value: "FILE" }),
    include: flag.boolean("Print the status and the headers of the response first", {
      short: "i",
      conflictsWith: ["paginate"],
    }),
    paginate: flag.boolean("Follow the pages of a listing and print one array"),
  },
  effect: "destroy",
  uses: ["withinLimits"],
  view: { kind: "record", id: ["id"] },
  examples: [
    {
      text: "Call an operation by its ID",
      command: "gpuctl api call getRental -f rentalId=1001 --sandbox",
      after: [sandboxExamples.rental],
    },
    {
      text: "Send a body to a method and path",
      command:
        "gpuctl api call POST /v2/on-demand/storage-volumes -f region=us-central-1 -f label=data -F sizeInGb=512 --sandbox",
    },
    {
      text: "List all billed usage, from all pages, as a table",
      command: "gpuctl api call listUsage --paginate -o table --sandbox",
    },
  ],
  buildInput: async ({ args, flags, ...context }) => {
    const { files, settings, say } = context;
    const named = namedBy(args);
    const fields = await fieldsFromFlags(flags, files);
    const input = flags.input === undefined ? undefined : await readText(flags.input, "--input", files);
    const description = await describedFor(named, context);
    const found = findOperation(named, description);
    const request = typedRequest({ named, found, fields, input });
    const { method, path } = request.parts;
    if (found === undefined)
      say(`The OpenAPI description does not list ${method} ${path}, so the request is not checked.`);
    if (flags.include && !["table", "json"].includes(settings.output)) {
      throw new UsageError(`--include cannot be used with --output ${settings.output}: use --output json`);
    }
    if (flags.include && settings.tableFromCli) {
      throw new UsageError(
        "--include does not print tables: remove --output table, --columns and --no-header",
      );
    }
    if (flags.paginate && method !== "GET") throw new UsageError(`--paginate is for GET, not for ${method}`);
    if (settings.validate) await checkRequest(request, description, context);
    return request;
  },
  confirm: {
    destruction: ({ input: { parts, operation } }) =>
      destroys({ ...parts, ...(operation && { id: operation.id }) })
        ? `Send ${parts.method} ${parts.path}? It may destroy something.`
        : undefined,
    typed: ({ input, settings }) =>
      /^deleteCurrentUser/.test(documentedOperation(input) ?? "") ? settings.profile : undefined,
    spending: ({ input }) => {
      const { method, path } = input.parts;
      const id = documentedOperation(input);
      return id !== undefined && routes[id].effect === "spend"
        ? `Send ${method} ${path}? It costs money.`
        : undefined;
    },
  },
  run: async ({ input, flags: { include, paginate }, withinLimits, ...context }) => {
    if (paginate) return listResult(allPages(input, context), context.settings);
    if (isRead(input.parts) && !include) {
      const response = await context.requestList(input.parts);
      return "records" in response
        ? listResult(response.records, context.settings)
        : responseResult(response, input.operation, include, context);
    }
    const paid = isPaid(input.parts);
    if (paid) assertWithinBudget(input, context);
    const send = () => context.request(input.parts);
    const written = isRead(input.parts) ? undefined : documentedOperation(input);
    if (written === undefined) warnOfUncheckedBurn(input, context);
    const response =
      written === undefined
        ? await send()
        : await withinLimits(written, isRecord(input.body) ? input.body : {}, send);
    const result = responseResult(response, input.operation, include, context);
    if (paid) return { ...result, paid };
    if (!isRead(input.parts)) {
      const { method, path } = input.parts;
      context.setFailureContext(`${method} ${path} succeeded. Do not send it again.`, { evenIfUnread: true });
    }
    return result;
  },
});

/**
 * Normalizes a path as a service might: decodes it, converts it to lower case, and removes repeated and trailing
 * slashes. Spending limits compare normalized paths, so that no spelling of a path avoids the limits.
 */
const plainPath = (path: string): string =>
  decoded(path)
    .toLowerCase()
    .replace(/\/{2,}/g, "/")
    .replace(/(?<=.)\/$/, "");

/**
 * The id of the documented operation that a request calls, at the operation's own path or at the path of its
 * replacement. Undefined for other requests.
 */
function documentedOperation({ parts: { method, path }, body }: DescribedRequest): OperationId | undefined {
  const given: Readonly<Record<string, unknown>> = isRecord(body) ? body : {};
  const called = plainPath(path);
  const isCalled = (one: { readonly method: string; readonly path: string }, fixed: object = {}) =>
    one.method === method &&
    plainPath(one.path) === called &&
    Object.entries(fixed).every(([name, value]) => given[name] === value);
  const ids = Object.keys(routes) as OperationId[];
  return ids.find((id) => {
    const { replacedBy, ...documented } = routes[id];
    return isCalled(documented) || (replacedBy !== undefined && isCalled(replacedBy, replacedBy.with));
  });
}

/** Whether a call is charged. Every call of the inference API is charged, except reads. */
const isPaid = ({ path, method }: DescribedRequest["parts"]): boolean =>
  plainPath(path).startsWith("/v1/") && !isRead({ method });

/**
 * If a request may create a rental, warns that the profile's limit `budget.maxBurn` is not checked. Such a request is a
 * POST to a path where rentals are created, or below such a path, unless it looks like one that destroys something.
 * Not called for documented writes, because `withinLimits` checks those.
 */
function warnOfUncheckedBurn(
  { parts: { method, path }, operation }: DescribedRequest,
  { settings, say }: Pick<Context, "settings" | "say">,
): void {
  if (settings.profileValues["budget.maxBurn"] === undefined || settings.dryRun || method !== "POST") return;
  const called = plainPath(path);
  const creates = [routes.createVirtualMachineRental, routes.createBareMetalRental].flatMap((one) => [
    one.path,
    ...(one.replacedBy ? [one.replacedBy.path] : []),
  ]);
  if (!creates.some((created) => `${called}/`.startsWith(`${created}/`))) return;
  if (destroys({ method, path, ...(operation && { id: operation.id }) })) return;
  say(
    "Warning: budget.maxBurn is set, but gpuctl does not know what this call creates, so the limit is not checked.",
  );
}

/**
 * Throws `BudgetExceeded` if the documented price exceeds `budget.maxCost` or cannot be calculated. If a call has no
 * documented price, warns that the limit is not checked.
 */
function assertWithinBudget(
  { parts, body }: DescribedRequest,
  { settings, say }: Pick<Context, "settings" | "say">,
): void {
  const { method, path, fields } = routes.generateImage;
  if (parts.method !== method || plainPath(parts.path) !== path || !isRecord(body)) {
    warnOfUnknownPrice("of this call", { settings, say });
    return;
  }
  const value = (name: string) => Number(body[name] ?? fields.find((field) => field.name === name)?.default);
  const picture = { width: value("width"), height: value("height"), steps: value("steps") };
  assertWithinCost(picturePrice(picture), budgetOf(settings));
}

/**
 * Gets the service's OpenAPI description. If it cannot be fetched, returns the documented API instead, but throws
 * `NoDescription` for an operation id that the documented API does not list.
 */
async function describedFor(named: Named, { describe }: Pick<Context, "describe">): Promise<Description> {
  try {
    return await describe({ orDocumented: (documented) => canResolve(named, documented) });
  } catch (error) {
    const wanted = "id" in named ? JSON.stringify(named.id) : `${named.method} ${named.path}`;
    throw noDescription(
      error,
      `the service has the operation ${wanted}`,
      "`gpuctl api call METHOD PATH` works without the description; `gpuctl api spec --refresh` fetches it.",
    );
  }
}

/** The records of every page of a listing. */
function allPages(
  { parts, operation }: DescribedRequest,
  { request, say }: Pick<Context, "request" | "say">,
): AsyncIterable<readonly unknown[]> {
  let sent = 0;
  const send = async (query: NonNullable<typeof parts.query>) => {
    sent += 1;
    const response = await request({ ...parts, query });
    const page = parseJson(response.text());
    if (page === undefined) {
      throw new EmptyResult(
        `page ${sent} of the listing is not JSON, so --paginate cannot join the pages; run the command without --paginate to see the response`,
      );
    }
    assertSuccess(page, response);
    if (recordsIn(page) === undefined) {
      throw new EmptyResult(
        `page ${sent} of the listing is not a list, so --paginate cannot join the pages; run the command without --paginate to see the response`,
      );
    }
    return page;
  };
  return describedPages(send, { parameters: operation?.parameters ?? [], query: parts.query, warn: say });
}

/**
 * The result for a response. JSON is printed in the requested format. Anything else is printed as text on a terminal,
 * and as bytes otherwise. If a response is empty and need not be JSON, nothing is printed. `include` prints the status
 * and the headers first. If a response should be JSON but is not, throws `InvalidResponse`, or `UnknownOutcome` if the
 * request was a write. If a response reports a failure, throws as `assertSuccess` does.
 */
function responseResult(
  response: BufferedResponse,
  operation: DescribedOperation | undefined,
  include: boolean,
  { files, settings }: Pick<Context, "files" | "settings">,
): Result {
  const { stdoutIsTerminal: terminal } = files;
  const { bytes } = response;
  const data = shouldBeJson(response, operation) ? { value: jsonOf(response) } : undefined;
  // The response to a write may report a failure with a content type that is not JSON.
  const value = data || isRead(response.request) ? data?.value : parseJson(response.text());
  assertSuccess(value, response);
  if (!include) {
    if (data) return jsonResult(data.value, settings);
    if (bytes.length === 0) return { exitCode: 0 };
    return terminal ? { text: [response.text()] } : { bytes };
  }
  const body = data ? Buffer.from(json(data.value)) : bytes;
  const whole = Buffer.concat([Buffer.from(headText(response)), body]);
  return terminal ? { text: [whole.toString()] } : { bytes: whole };
}

const headText = ({ status, headers }: BufferedResponse): string =>
  [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`.trimEnd(),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    "\n",
  ].join("\n");

/**
 * Whether a response should be JSON, according to its content type. Without a content type, returns whether the body
 * parses as JSON. The response to a write also should be JSON if the description says so. An empty response should be
 * JSON if its content type or the description says so, unless its status or HEAD means that there is no body.
 */
function shouldBeJson(response: BufferedResponse, operation: DescribedOperation | undefined): boolean {
  const type = response.header("content-type");
  const isJsonType = type !== null && /[/+]json\b/i.test(type);
  const { status } = response;
  if (response.bytes.length === 0) {
    const mayBeEmpty = withoutBody.has(status) || response.request.method === "HEAD";
    return !mayBeEmpty && (isJsonType || isDescribedAsJson({ status, type: null }, operation));
  }
  // A gateway may respond to a write with a web page and status 200. The outcome of the write is then unknown, so the
  // page must not count as a valid response.
  if (!isRead(response.request) && isDescribedAsJson({ status, type }, operation)) return true;
  return type === null ? parseJson(response.text()) !== undefined : isJsonType;
}

/** Statuses whose responses have no body. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** The result for JSON of any shape: in the requested format, or as JSON if none is requested. */
const jsonResult = (data: unknown, settings: Context["settings"]): Result => ({
  data,
  view: shownView(data, settings),
});

const shownView = (data: unknown, { output, tableFromCli }: Context["settings"]): View =>
  output === "table" && !tableFromCli ? { kind: "document" } : viewOf(data);

/** How many records are read to find the columns of a list and the name of its id field. */
const sampleSize = 1_000;

/** Like `jsonResult`, for a list that may not fit in memory. */
async function listResult(
  batches: AsyncIterable<readonly unknown[]>,
  settings: Context["settings"],
): Promise<Result> {
  const sample: unknown[] = [];
  const rest = batches[Symbol.asyncIterator]();
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    for (const record of next.value) sample.push(record);
    if (sample.length >= sampleSize) break;
  }
  const records = async function* () {
    yield sample;
    yield* { [Symbol.asyncIterator]: () => rest };
  };
  return { records: records(), view: shownView(sample, settings) };
}

/**
 * The view for JSON of any shape. An array, or a page that contains one, is a list with a column for each field of its
 * records. Anything else is a record.
 */
function viewOf(data: unknown): View {
  const list = { kind: "list", empty: "The response is an empty list.", id: [] } as const;
  const records = recordsOf({ data }, { ...list, columns: [] });
  const id = idsIn(records);
  const single = data === null || (!Array.isArray(data) && records[0] === data);
  return single ? { kind: "record", id } : { ...list, columns: everyColumn(records), id };
}

/** The names of the id fields of records: `id`, then the first name that looks like an id. */
function idsIn(records: readonly unknown[]): readonly string[] {
  const names = records.flatMap((record) => (isRecord(record) ? Object.keys(record) : []));
  const named = names.find((name) => /(?:[a-z]I|_i|^i)d$/.test(name));
  return ["id", ...(named === undefined ? [] : [named])];
}
