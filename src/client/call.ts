import type { InputOf, OperationId, OutputOf } from "../contract/index.ts";
import { sendRequest } from "./attempt.ts";
import { type RequestParts, wireRequest } from "./request.ts";
import { type BufferedResponse, readBuffered, readJson } from "./response.ts";
import { type CallOptions, type Reader, send } from "./send.ts";

/** Limits for a single call. */
type Limits = Partial<Pick<CallOptions, "retries" | "timeout">>;

/** Sends an operation. */
export type Call = <Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  options?: Limits,
) => Promise<OutputOf<Id>>;

/**
 * Sends an operation and returns its response unchanged, or the records of all pages of a paged one.
 * Throws `ServiceError`, `NetworkError`, `InvalidResponse` or `UnknownOutcome`, and before anything is sent
 * `NoBaseUrl`, `NoCredential` or `InsecureUrl`.
 */
export async function call<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  options: CallOptions,
): Promise<OutputOf<Id>> {
  return (await send(id, input, whole, options)) as OutputOf<Id>;
}

const whole: Reader<unknown> = {
  response: readJson,
  pages: async (pages) => {
    const records: unknown[] = [];
    for await (const page of pages) {
      for (const record of page) records.push(record);
    }
    return records;
  },
};

/** Sends a request of plain values and returns its whole response, whatever its type. */
export type RawCall = (parts: RequestParts, options?: Limits) => Promise<BufferedResponse>;

/** The `Accept` header of a raw call: JSON if possible. */
export const acceptAnything = "application/json, */*";

/** Sends a request that the contract need not list. Retries and throws as `call` does. */
export const rawCall = async (parts: RequestParts, options: CallOptions): Promise<BufferedResponse> =>
  sendRequest(wireRequest(parts, options.target, acceptAnything), readBuffered(), options);
