import { requestLog } from "../../contract/sandbox.ts";
import type { Store } from "../store.ts";

/** A request that the sandbox was sent, without its body and without a key. */
export interface LoggedRequest {
  /** The sandbox's time, ISO 8601. */
  readonly time: string;
  readonly method: string;
  /** With the values of the query fields that are known; the other ones are left out. */
  readonly path: string;
  /** Null when the path is unknown. */
  readonly operation: string | null;
  /** Null when the connection was broken instead of an answer. */
  readonly status: number | null;
  /** The fault that was applied. */
  readonly fault: number | null;
  /** The error code of the answer, and the dotted paths of its issues. */
  readonly code: string | null;
  readonly issues: readonly string[];
}

export interface NumberedRequest extends LoggedRequest {
  /** Counted up from the last reset. */
  readonly number: number;
}

/** Keeps a request; the oldest ones are forgotten. */
export function addRequest(store: Store, request: LoggedRequest): void {
  store.write(() => {
    const number = store.run("INSERT INTO requests (record) VALUES (?)", JSON.stringify(request));
    store.run("DELETE FROM requests WHERE number <= ?", number - requestLog.kept);
  });
}

/** The last requests, the oldest of them first. */
export const lastRequests = (store: Store, limit: number): readonly NumberedRequest[] =>
  store
    .all("SELECT number, record FROM requests ORDER BY number DESC LIMIT ?", limit)
    .map(({ number, record }) => ({ number: Number(number), ...JSON.parse(String(record)) }))
    .reverse();
