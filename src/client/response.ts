import type { ResponseLimits } from "../contract/plain/response-limits.ts";
import { isRecord, parseJson } from "../core/json.ts";
import type { Redactor } from "../core/redact.ts";
import { assertList, assertSuccess, assertValues } from "../core/responses/success.ts";
import {
  InvalidResponse,
  isRead,
  type RequestLine,
  ResponseTooLarge,
  UnknownOutcome,
} from "../core/service-errors.ts";
import type { ReadResponse } from "./attempt.ts";
import { orAborted } from "./deadline.ts";
import { unreadableResponse } from "./failure.ts";
import { type FetchResponse, readText } from "./fetch.ts";
import { keyRedactor, type WireRequest } from "./request.ts";

/** A response that was read to its end. */
export interface BufferedResponse {
  readonly status: number;
  readonly request: RequestLine;
  readonly header: (name: string) => string | null;
  readonly headers: readonly (readonly [string, string])[];
  readonly bytes: Uint8Array;
  readonly text: () => string;
  /** The maximum number of values in a JSON body. */
  readonly maxValues: number;
  /** Masks the key of the request in a text. */
  readonly redact: Redactor["redact"];
}

/**
 * Reads a whole response. If it has more than `maxBytes` (by default the limit for the request), stops reading and
 * throws `ResponseTooLarge`.
 */
export const readBuffered =
  (maxBytes?: number): ReadResponse<BufferedResponse> =>
  async (response, { deadline, limits, request }) => {
    const { effect, method, url } = request;
    const bytes = await orAborted(readBytes(response, maxBytes ?? limits.body[effect]), deadline.signal);
    return {
      status: response.status,
      request: { method, url },
      header: (name) => response.headers.get(name),
      headers: [...response.headers.entries()],
      bytes,
      text: () => new TextDecoder().decode(bytes),
      maxValues: limits.values,
      redact: keyRedactor(request),
    };
  };

async function readBytes({ body }: FetchResponse, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw new ResponseTooLarge(maxBytes);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

/** Reads a whole response as JSON. */
export const readJson: ReadResponse<unknown> = async (response, { deadline, limits, request }) =>
  jsonOf(await readText(response, deadline, limits.body[request.effect]), response.status, request, limits);

/**
 * Parses the text of a successful response. Throws if the text is not JSON, is empty or `null` where a value is
 * required, or is not a list where one is documented. For the compute API, also throws if the text reports a failure or
 * is not of the documented kind. Throws `ResponseTooLarge` if it has too many values.
 */
export function jsonOf(
  text: string,
  status: number,
  request: WireRequest,
  limits: Pick<ResponseLimits, "values">,
): unknown {
  const { method, host } = request;
  assertValues(text, limits.values);
  const value = text === "" ? emptyValue(method, status) : parseJson(text);
  const isEmptyWrite = host === "compute" && !isRead(request) && value === null && status !== 204;
  if (value === undefined || isEmptyWrite) throw unreadableResponse(status, text, request);
  if (host === "compute" && value !== null)
    assertSuccess(value, { status, request, redact: keyRedactor(request) });
  if (request.list) assertList(value, status, request);
  // Every documented response of the compute API that is not a list is an object, or null.
  if (host === "compute" && !request.list && value !== null && !isRecord(value)) {
    const reason = "the response is not an object";
    throw isRead(request)
      ? new InvalidResponse(reason, status, request)
      : new UnknownOutcome(reason, status, request);
  }
  return value;
}

/** An empty response is valid only with status 204, and never after a POST. */
const emptyValue = (method: string, status: number): null | undefined =>
  method !== "POST" && status === 204 ? null : undefined;
