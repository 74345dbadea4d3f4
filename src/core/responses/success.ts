import { asRecord, isRecord, recordsOf } from "../json.ts";
import type { Redactor } from "../redact.ts";
import {
  InvalidResponse,
  isRead,
  type Received,
  type RequestLine,
  ResponseTooLarge,
  ServiceError,
  UnknownOutcome,
} from "../service-errors.ts";
import { stringifyExactly } from "../values/exact-numbers.ts";
import { readFailure } from "./failure-body.ts";

/** A response with a success status. `redact` masks keys in texts from the service. */
interface SuccessfulResponse {
  readonly status: number;
  readonly request: RequestLine;
  readonly redact: Redactor["redact"];
}

/**
 * Throws if a response reports a failure: with the service's error body (service section 7), with a body that has
 * nothing but an error, or with `success: false`. The outcome of a write is then unknown, with one exception: a PUT or
 * DELETE did nothing if its response has `success: false`, but is neither of these error bodies.
 */
export function assertSuccess(value: unknown, { status, request, redact }: SuccessfulResponse): void {
  const error = failureIn(value);
  const hasFailed = isRecord(value) && value.success === false;
  if (error === undefined && !hasFailed) return;
  const message = redact(error ?? "the service reported a failure (success: false)");
  if (isRead(request)) throw new InvalidResponse(message, status, request);
  if (error !== undefined || !/^(PUT|DELETE)$/.test(request.method))
    throw new UnknownOutcome(message, status, request);
  throw new ServiceError({ status, code: `HTTP_${status}`, message, issues: [] }, request);
}

/** Throws `InvalidResponse` if the response to a read is not a list. */
export function assertList(value: unknown, status: number, request: RequestLine): void {
  if (recordsOf(value) === undefined)
    throw new InvalidResponse("the response is not a list", status, request);
}

/**
 * The message for a body that is the service's own error body (service section 7), which some services send with status
 * 200. Undefined for any other body.
 */
export function serviceErrorIn(body: unknown): string | undefined {
  const { code, message, issues } = asRecord(body);
  const isError = typeof code === "string" && typeof message === "string" && Array.isArray(issues);
  return isError ? `the service reported ${code}: ${message}` : undefined;
}

/**
 * The failure that a body reports: the service's own error body, or nothing but an error. Undefined if there is none.
 */
export const failureIn = (body: unknown): string | undefined => serviceErrorIn(body) ?? errorOnlyIn(body);

/** The fields of error bodies of other services and gateways. */
const errorFields: ReadonlySet<string> = new Set([
  ...["error", "errors", "detail", "details", "message", "code", "type", "param", "object", "title", "hint"],
  ...["success", "status", "statusCode", "status_code", "timestamp", "path", "instance"],
  ...["request_id", "requestId", "trace_id", "traceId"],
]);

/** The message of a body that has nothing but an error, as gateways send it. Undefined for any other body. */
function errorOnlyIn(body: unknown): string | undefined {
  if (!isRecord(body)) return undefined;
  const { error, object } = body;
  if (!error && object !== "error") return undefined;
  const isOnly = Object.entries(body).every(([name, value]) => errorFields.has(name) || value === null);
  if (!isOnly) return undefined;
  return `the service reported an error: ${readFailure(200, JSON.stringify(body)).message}`;
}

const [comma, list, object] = [0x2c, 0x5b, 0x7b];

/** Throws `ResponseTooLarge` if a text has more than `maxValues` commas, `[` and `{` in total. */
export function assertValues(text: string, maxValues: number): void {
  let left = maxValues;
  for (let at = 0; text.length - at > left; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== comma && code !== list && code !== object) continue;
    left -= 1;
    if (left < 0) throw new ResponseTooLarge(maxValues, "values");
  }
}

/** A response that was paid for but cannot be used, as JSON to save, so that nothing is lost. */
export const receivedJson = (response: unknown): Received => ({
  bytes: Buffer.from(`${stringifyExactly(response)}\n`),
  complete: true,
});
