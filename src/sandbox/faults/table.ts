import * as z from "zod";
import { faultDefaults } from "../../core/sandbox.ts";
import { maxTimerMs } from "../../core/values/durations.ts";
import type { Queries, Row, Store } from "../queries.ts";

/** The format of a new fault. It lets `after` calls of an operation (or of all, `*`) pass, then affects `times` calls. */
export const faultInput = z.strictObject({
  operation: z.string(),
  after: z.int().min(0).default(faultDefaults.after),
  times: z.int().min(1).default(faultDefaults.times),
  /** Responds with this status instead. */
  status: z.int().min(400).max(599).optional(),
  /** The Retry-After header of that response. */
  retryAfterSeconds: z.number().min(0).optional(),
  /** Delays the response by this many milliseconds of real time. */
  delayMs: z.int().min(0).max(maxTimerMs).optional(),
  /** Breaks the connection instead of a response, or where the response is cut. */
  reset: z.boolean().default(false),
  /** Ends the response after this many server-sent events, or KiB when it is not a stream. */
  cutStreamAfter: z.int().min(0).optional(),
  /** Responds with a body that is not JSON. */
  garbage: z.boolean().default(false),
  /** The operation takes effect even though its response is replaced. */
  applied: z.boolean().default(false),
});

/** What a fault does to a call; it has at least one effect. */
export type Effect = Omit<z.output<typeof faultInput>, "operation" | "after" | "times">;

export interface StoredFault extends Pick<z.output<typeof faultInput>, "operation" | "after" | "times"> {
  readonly id: number;
  /** How many calls it has counted. */
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
  const sql = "INSERT INTO faults (operation, skip, times, calls, record) VALUES (?, ?, ?, 0, ?)";
  return { ...fault, id: store.run(sql, operation, after, times, JSON.stringify(effect)), calls: 0 };
}

export const listFaults = (store: Queries): readonly StoredFault[] =>
  store.all("SELECT * FROM faults ORDER BY id").map(stored);

export function removeFaults(store: Queries, id?: number): void {
  store.run("DELETE FROM faults WHERE id = ifnull(?, id)", id ?? null);
}

/**
 * The fault that affects this call of an operation, if any. Active faults count the call, oldest first, up to the one
 * that affects it; newer ones do not count it.
 */
export function takeFault(store: Store, operation: string): StoredFault | undefined {
  const sql = "SELECT * FROM faults WHERE operation IN (?, '*') AND calls < skip + times ORDER BY id";
  if (store.all(sql, operation).length === 0) return undefined;
  return store.write(() => {
    for (const fault of store.all(sql, operation).map(stored)) {
      store.run("UPDATE faults SET calls = calls + 1 WHERE id = ?", fault.id);
      if (fault.calls >= fault.after) return fault;
    }
    return undefined;
  });
}
