import type { Queries, Row } from "../queries.ts";

/** What a fault does to a call. At least one of its effects is given. */
export interface Effect {
  /** Waits, in milliseconds of real time. */
  readonly delayMs?: number | undefined;
  /** Answers with this status instead. */
  readonly status?: number | undefined;
  /** What the answer says to wait before another try. */
  readonly retryAfterSeconds?: number | undefined;
  /** Breaks the connection: in place of an answer, or where the answer is cut. */
  readonly reset: boolean;
  /** Ends the answer after so many server-sent events, or KiB when it is no stream. */
  readonly cutStreamAfter?: number | undefined;
  /** Answers with a body that is no JSON. */
  readonly garbage: boolean;
  /** The operation takes effect before; else it does not when something takes the place of its answer. */
  readonly applied: boolean;
}

/** A fault of an operation, or of all (`*`): it lets `after` calls through, then befalls `times` calls. */
export interface StoredFault {
  readonly id: number;
  readonly operation: string;
  readonly after: number;
  readonly times: number;
  /** How many calls it has met. */
  readonly calls: number;
  readonly effect: Effect;
}

const stored = (row: Row): StoredFault => ({
  id: Number(row.id),
  operation: String(row.operation),
  after: Number(row.skip),
  times: Number(row.times),
  calls: Number(row.calls),
  effect: JSON.parse(String(row.record)),
});

export function addFault(store: Queries, fault: Omit<StoredFault, "id" | "calls">): StoredFault {
  const { operation, after, times, effect } = fault;
  const id = store.run(
    "INSERT INTO faults (operation, skip, times, calls, record) VALUES (?, ?, ?, 0, ?)",
    operation,
    after,
    times,
    JSON.stringify(effect),
  );
  return { ...fault, id, calls: 0 };
}

export const listFaults = (store: Queries): readonly StoredFault[] =>
  store.all("SELECT * FROM faults ORDER BY id").map(stored);

/** Faults that are not used up and wait for calls of an operation, the oldest first. */
export const waitingFaults = (store: Queries, operation: string): readonly StoredFault[] =>
  store
    .all("SELECT * FROM faults WHERE operation IN (?, '*') AND calls < skip + times ORDER BY id", operation)
    .map(stored);

export function countCall(store: Queries, { id }: StoredFault): void {
  store.run("UPDATE faults SET calls = calls + 1 WHERE id = ?", id);
}

export function removeFaults(store: Queries, id?: number): void {
  store.run("DELETE FROM faults WHERE id = ifnull(?, id)", id ?? null);
}
