import { parseJson } from "../core/json.ts";
import type { RequestLine } from "../core/service-errors.ts";
import type { Attempt, ReadResponse, Sent } from "./attempt.ts";
import { orAborted } from "./deadline.ts";
import { unreadableResponse } from "./failure.ts";
import { readBytes, readText } from "./fetch.ts";

/** A response that was read to its end. */
export interface BufferedResponse {
  readonly status: number;
  readonly request: RequestLine;
  readonly header: (name: string) => string | null;
  readonly headers: readonly (readonly [string, string])[];
  readonly bytes: Uint8Array;
  readonly text: () => string;
}

/** Reads a whole response, then interprets it. Throws `ResponseTooLarge` beyond `maxBytes`. */
export const readBuffered =
  <Value>(
    interpret: (response: BufferedResponse) => Attempt<Value>,
    maxBytes?: number,
  ): ReadResponse<Value> =>
  async (response, { limit, request: { method, url } }) => {
    const bytes = await orAborted(readBytes(response, maxBytes), limit.signal);
    return interpret({
      status: response.status,
      request: { method, url },
      header: (name) => response.headers.get(name),
      headers: [...response.headers.entries()],
      bytes,
      text: () => new TextDecoder().decode(bytes),
    });
  };

/** Reads a whole response as JSON. */
export const readJson: ReadResponse<unknown> = async (response, sent) =>
  jsonResult(await orAborted(readText(response), sent.limit.signal), response.status, sent);

/** The value of a successful response's text, or the error for a text that is not what the operation returns. */
export function jsonResult(
  text: string,
  status: number,
  { request, host }: Pick<Sent, "request" | "host">,
): Attempt<unknown> {
  const creates = request.method === "POST" && host === "compute";
  const value = text === "" ? emptyValue(request.method, status) : parseJson(text);
  if (value === undefined || (creates && value === null)) {
    return { error: unreadableResponse(status, text, request), retryable: false };
  }
  return { value };
}

/** Deletions and changes may respond with an empty body; anything else has then returned nothing usable. */
const emptyValue = (method: string, status: number): null | undefined =>
  method === "DELETE" || method === "PUT" || (method === "GET" && status === 204) ? null : undefined;
