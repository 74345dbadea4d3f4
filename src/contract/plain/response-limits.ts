import type { Effect } from "../operation.ts";

/**
 * Limits on the responses that are read, so that no response can exhaust the memory. Every limit except `shortList` is
 * far above what the service sends.
 */
export interface ResponseLimits {
  /** Bytes of the body of a successful response, by the effect of its operation. */
  readonly body: Readonly<Record<Effect, number>>;
  /**
   * Number of values in a JSON body, counted by its commas and brackets. A value takes far more memory than its text.
   */
  readonly values: number;
  /** Bytes of the body of a failed response. */
  readonly failure: number;
  /** Bytes of a list that is read to its end before any of it is shown. A longer list is shown as it arrives. */
  readonly shortList: number;
  /** Characters of one server-sent event, and bytes of one record in a list that is read as it arrives. */
  readonly part: number;
  /** Bytes of all headers of a response together. */
  readonly headers: number;
}

const kib = 1024;
const mib = 1024 * kib;

export const responseLimits: ResponseLimits = {
  // Reads return lists, and inference calls return pictures and sound. All other operations return one record.
  body: { read: 256 * mib, generate: 256 * mib, write: 16 * mib, spend: 16 * mib, destroy: 16 * mib },
  // 100,000 rentals of 50 fields.
  values: 5_000_000,
  failure: mib,
  shortList: mib,
  part: 16 * mib,
  headers: 64 * kib,
};

/** The effect of a request whose operation is not in the contract. */
export function effectOfRequest({
  method,
  host,
}: {
  readonly method: string;
  readonly host: "compute" | "inference";
}): Effect {
  if (method === "GET" || method === "HEAD") return "read";
  if (host === "inference") return "generate";
  return method === "DELETE" ? "destroy" : "write";
}
