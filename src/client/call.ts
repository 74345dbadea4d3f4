import type { InputOf, OperationId, OutputOf } from "../contract/index.ts";
import { parseJson } from "../core/json.ts";
import { assertList, assertSuccess, assertValues, receivedJson } from "../core/responses/success.ts";
import { InvalidResponse, UnknownOutcome } from "../core/service-errors.ts";
import type { DescribedOperation } from "../openapi/described.ts";
import { allRecords, warnIfPartial } from "../openapi/paging.ts";
import { sendRequest } from "./attempt.ts";
import type { Divert } from "./divert.ts";
import type { PreparedWrite } from "./prepared.ts";
import { acceptAnything, keyRedactor, type RequestParts, wireRequest } from "./request.ts";
import { type BufferedResponse, readBuffered, readJson } from "./response.ts";
import { type CallOptions, type Reader, send } from "./send.ts";

/**
 * Options of a single call: its limits, a signal that aborts only this call, and a function that is called if the
 * returned list may be incomplete.
 */
type CallLimits = Partial<Pick<CallOptions, "retries" | "timeout" | "warn" | "signal">>;

/** Options of a single call of an operation. */
export interface OneCall extends CallLimits {
  /** Takes long strings out of the response while it arrives. */
  readonly divert?: Divert;
  /**
   * Returns why the response to a write cannot be used, or undefined if it can. If there is a reason, the outcome of
   * the write is unknown.
   */
  readonly problemIn?: (value: unknown) => string | undefined;
}

/** Sends an operation. */
export type Call = <Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  options?: OneCall,
) => Promise<OutputOf<Id>>;

/**
 * Sends an operation and returns its response unchanged. If the response has several pages, returns the records of all
 * pages. Throws `ServiceError`, `NetworkError`, `InvalidResponse`, `ResponseTooLarge` or `UnknownOutcome`. After an
 * abort, throws the signal's reason, or `InterruptedWrite` if a write may have been sent. Before anything is sent, it
 * may throw `UsageError`, `NoBaseUrl`, `NoCredential` or `InsecureUrl`.
 */
export async function call<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  options: CallOptions & Omit<OneCall, "divert">,
): Promise<OutputOf<Id>> {
  return (await send(id, input, wholeResult(options), options)) as OutputOf<Id>;
}

const wholeResult = ({ problemIn, warn }: Pick<OneCall, "problemIn" | "warn">): Reader<unknown> => ({
  response: async (response, inFlight) => {
    const value = await readJson(response, inFlight);
    if (inFlight.request.list && warn) warnIfPartial(value, warn);
    const problem = problemIn?.(value);
    if (problem !== undefined) {
      // The response to a generation was paid for.
      const isPaid = inFlight.request.host === "inference";
      const more = isPaid ? { received: receivedJson(value) } : {};
      const { request } = inFlight;
      throw new UnknownOutcome(keyRedactor(request)(problem), response.status, request, more);
    }
    return value;
  },
  pages: async (pages) => {
    const records: unknown[] = [];
    for await (const page of pages) {
      for (const record of page) records.push(record);
    }
    return records;
  },
});

/** Options of a single raw call. */
export interface OneRawCall extends CallLimits, Pick<OneCall, "divert"> {
  /** Lets a write use a connection that was used before; see `FetchInit`. */
  readonly reusesConnection?: boolean;
}

/** Sends any request and returns its whole response, whatever its media type. */
export type RawCall = (parts: RequestParts, options?: OneRawCall) => Promise<BufferedResponse>;

/**
 * Prepares a write that is sent many times with different bodies. Throws the errors that a raw call throws before it
 * sends anything.
 */
export type Prepare = (parts: Omit<RequestParts, "body">) => Promise<PreparedWrite>;

/** Sends any request, even one that the contract does not list. Retries and throws as `call` does. */
export const rawCall = async (parts: RequestParts, options: CallOptions): Promise<BufferedResponse> =>
  sendRequest(wireRequest(parts, options.target, acceptAnything), readBuffered(), options);

/**
 * Calls a list operation of the compute API that was found in the service's description. Returns the records of all
 * pages. Throws `InvalidResponse` if a page is not a list in JSON or reports a failure, and `ResponseTooLarge` if it
 * has too many values.
 */
export const listDescribed = (
  { method, path, parameters }: DescribedOperation,
  { request, say }: { readonly request: RawCall; readonly say: (line: string) => void },
): Promise<readonly unknown[]> =>
  allRecords(
    async (query) => {
      const response = await request({ method, path, host: "compute", query });
      const { status, maxValues } = response;
      const text = response.text();
      assertValues(text, maxValues);
      const page = parseJson(text);
      if (page === undefined) throw new InvalidResponse("the response is not JSON", status, response.request);
      // The body of a service error contains a list, which could be taken for the records of the page.
      assertSuccess(page, response);
      assertList(page, status, response.request);
      return page;
    },
    { parameters, warn: say },
  );
