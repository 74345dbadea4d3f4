import { STATUS_CODES } from "node:http";
import type { BufferedResponse } from "../../client/response.ts";
import type { CommandSettings } from "../../command-kit/context.ts";
import { jsonOf } from "../../command-kit/responses.ts";
import { isRecord } from "../../core/json.ts";
import type { Result } from "../../core/result.ts";
import type { View } from "../../core/view.ts";
import type { DescribedOperation } from "../../openapi/described.ts";
import { json } from "../../output/json.ts";
import { recordsOf } from "../../output/records.ts";
import { everyColumn } from "../../output/table/columns.ts";

interface Printing {
  /** What the description says of the operation. */
  readonly operation: DescribedOperation | undefined;
  /** Print the status and the headers first. */
  readonly include: boolean;
  readonly terminal: boolean;
  readonly settings: OutputSettings;
}

/**
 * A response as it is printed: JSON as such, anything else as its bytes, or as text on a terminal; nothing when it is
 * empty and may be. Throws `InvalidResponse`, or `UnknownOutcome` for a write, for what should be JSON and is not.
 */
export function printed(
  response: BufferedResponse,
  { operation, include, terminal, settings }: Printing,
): Result {
  const { bytes } = response;
  const data = shouldBeJson(response, operation) ? { value: jsonOf(response) } : undefined;
  if (!include) {
    if (data) return shown(data.value, settings);
    if (bytes.length === 0) return { exitCode: 0 };
    return terminal ? { text: [response.text()] } : { bytes };
  }
  const body = data ? Buffer.from(json(data.value, terminal)) : bytes;
  const whole = Buffer.concat([Buffer.from(headText(response)), body]);
  return terminal ? { text: [whole.toString()] } : { bytes: whole };
}

const headText = ({ status, headers }: BufferedResponse): string =>
  [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`.trimEnd(),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    "\n",
  ].join("\n");

/** Whether a response is JSON by its type; one without a type is when it parses. */
function shouldBeJson(response: BufferedResponse, operation: DescribedOperation | undefined): boolean {
  const type = response.header("content-type");
  const typed = type !== null && /[/+]json\b/i.test(type);
  if (response.bytes.length === 0) {
    const mayBeEmpty = withoutBody.has(response.status) || response.request.method === "HEAD";
    return !mayBeEmpty && (typed || isDescribedAsJson(response, operation));
  }
  if (type !== null) return typed;
  try {
    JSON.parse(response.text());
    return true;
  } catch {
    return false;
  }
}

/** Success statuses that have no body. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** Whether the description gives this response a JSON schema; `default` counts only where no success is described. */
function isDescribedAsJson({ status }: BufferedResponse, operation: DescribedOperation | undefined): boolean {
  const responses = operation?.responses ?? [];
  const fallback = responses.some((one) => /^2/.test(one.status)) ? [] : ["default"];
  const [described] = [String(status), "2XX", ...fallback].flatMap((name) =>
    responses.filter((one) => one.status.toUpperCase() === name.toUpperCase()),
  );
  return described?.schema !== undefined;
}

export type OutputSettings = Pick<CommandSettings, "output" | "tableTyped">;

/** JSON of any shape in the requested format; as JSON without one. */
export function shown(data: unknown, { output, tableTyped }: OutputSettings): Result {
  const asIs = output === "table" && !tableTyped;
  return { data, view: asIs ? { kind: "document" } : viewOf(data) };
}

/** A list shows the values inside its records as columns; a page of a list is one, and anything else a record. */
function viewOf(data: unknown): View {
  const list = { kind: "list", empty: "The response is an empty list.", id: [] } as const;
  const records = recordsOf({ data }, { ...list, columns: [] });
  const id = idsIn(records);
  const single = data === null || (!Array.isArray(data) && records[0] === data);
  return single ? { kind: "record", id } : { ...list, columns: everyColumn(records), id };
}

/** Names of the identifiers of records: `id`, else the first name that ends like one. */
function idsIn(records: readonly unknown[]): readonly string[] {
  const names = records.flatMap((record) => (isRecord(record) ? Object.keys(record) : []));
  const named = names.find((name) => /(?:[a-z]I|_i|^i)d$/.test(name));
  return ["id", ...(named === undefined ? [] : [named])];
}
