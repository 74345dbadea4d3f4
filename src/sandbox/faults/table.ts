import { createHash } from "node:crypto";
import * as z from "zod";
import { faultDefaults } from "../../core/sandbox.ts";
import { maxTimerMs } from "../../core/values/durations.ts";
import { whereInput } from "../requests/match.ts";
import type { Queries, Row, Store } from "../store/queries.ts";

/** The largest sizes of a fault's body and of its other texts, in characters. */
const maxBodyLength = 1024 * 1024;
const maxTextLength = 1024;

/**
 * The format of a new fault. The fault skips the first `after` calls of its operation (`*` for all operations). Of the
 * calls that follow, it affects up to `times` calls: the first ones, every Nth one (`every` is N), or those that `rate`
 * and `seed` choose.
 */
export const faultInput = z.strictObject({
  operation: z.string(),
  /** Only calls whose fields have these values. Other calls are not counted. */
  where: whereInput.optional(),
  /** Only calls of the caller that sends this name in a header. */
  caller: z.string().min(1).optional(),
  /** Only calls with the API key of this name. */
  key: z.string().min(1).optional(),
  after: z.int().min(0).default(faultDefaults.after),
  /** How many calls the fault affects. The default is 1 or, if `every` or `rate` is set, no limit. */
  times: z.int().min(1).optional(),
  every: z.int().min(1).optional(),
  /** The share of the calls that the fault affects. */
  rate: z.number().gt(0).max(1).optional(),
  /** Determines, together with the number of each call, which calls `rate` chooses. */
  seed: z.int().optional(),
  /** Responds with an error of this status instead of the operation's response. */
  status: z.int().min(400).max(599).optional(),
  /** The code and the message of the error in that response. */
  code: z.string().min(1).max(maxTextLength).optional(),
  message: z.string().min(1).max(maxTextLength).optional(),
  /** Responds with this text instead of the operation's response, as a proxy might. The status is 200 by default. */
  body: z.string().max(maxBodyLength).optional(),
  /** The media type of that text. */
  contentType: z
    .string()
    .max(maxTextLength)
    .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+( *; *[\x21-\x7e]+)*$/)
    .optional(),
  /** The Retry-After header of the error response. */
  retryAfterSeconds: z.number().min(0).optional(),
  /** Delays the response by this many milliseconds of real time. */
  delayMs: z.int().min(0).max(maxTimerMs).optional(),
  /** Breaks the connection: where the response is cut or, without a cut, instead of responding. */
  reset: z.boolean().default(false),
  /** Ends the response after this many server-sent events or, if it is not a stream, after this many KiB. */
  cutStreamAfter: z.int().min(0).optional(),
  /** Keeps the connection open where the response is cut, and sends nothing more. */
  stall: z.boolean().default(false),
  /** Responds with a body that is not JSON. */
  garbage: z.boolean().default(false),
  /** The operation takes effect even if its response is replaced or the connection is broken. */
  applied: z.boolean().default(false),
});

type FaultInput = z.output<typeof faultInput>;
type Selection = Pick<
  FaultInput,
  "operation" | "where" | "caller" | "key" | "after" | "every" | "rate" | "seed"
>;

/** What a fault does to a call. At least one of the fields has an effect. */
export type Effect = Omit<FaultInput, keyof Selection | "times">;

/** Whether the response of the operation is replaced. */
export const replacesResponse = ({ status, garbage, body }: Effect): boolean =>
  status !== undefined || garbage || body !== undefined;

export interface NewFault extends Selection {
  /** How many calls it affects; null for no limit. */
  readonly times: number | null;
  readonly effect: Effect;
}

export interface StoredFault extends NewFault {
  readonly id: number;
  /** How many calls the fault has counted. */
  readonly calls: number;
  /** How many calls the fault has affected. */
  readonly hits: number;
}

function stored(row: Row): StoredFault {
  const { where, caller, key, every, rate, seed, ...effect } = JSON.parse(String(row.record));
  return {
    id: Number(row.id),
    operation: String(row.operation),
    after: Number(row.skip),
    times: row.times === null ? null : Number(row.times),
    where,
    caller,
    key,
    every,
    rate,
    seed,
    calls: Number(row.calls),
    hits: Number(row.hits),
    effect,
  };
}

export function addFault(store: Queries, fault: NewFault): StoredFault {
  const { operation, after, times, effect, ...selection } = fault;
  const sql = "INSERT INTO faults (operation, skip, times, calls, hits, record) VALUES (?, ?, ?, 0, 0, ?)";
  const record = JSON.stringify({ ...effect, ...selection });
  return { ...fault, id: store.run(sql, operation, after, times, record), calls: 0, hits: 0 };
}

export const listFaults = (store: Queries): readonly StoredFault[] =>
  store.all("SELECT * FROM faults ORDER BY id").map(stored);

/** The SQL condition for faults that can still affect calls. */
export const isFaultActive = "(times IS NULL OR hits < times)";

/** The faults of any of these operations that can still affect calls, oldest first. */
export const activeFaults = (store: Queries, operations: readonly string[]): readonly StoredFault[] =>
  store
    .all(
      `SELECT * FROM faults WHERE operation IN (${operations.map(() => "?, ").join("")}'*') AND ${isFaultActive} ORDER BY id`,
      ...operations,
    )
    .map(stored);

/**
 * Returns the fault of one of these operations that affects this call, if any. Goes through the active faults that
 * select the call, oldest first, until one affects it. The faults up to that one count the call; newer faults do not.
 */
export function takeFault(
  store: Store,
  operations: readonly string[],
  isSelected: (fault: StoredFault) => boolean,
): StoredFault | undefined {
  return store.write(() => {
    for (const fault of activeFaults(store, operations).filter(isSelected)) {
      const isAffected = affects(fault, fault.calls + 1 - fault.after);
      store.run(
        "UPDATE faults SET calls = calls + 1, hits = hits + ? WHERE id = ?",
        isAffected ? 1 : 0,
        fault.id,
      );
      if (isAffected) return fault;
    }
    return undefined;
  });
}

/** Whether a fault affects a call. The first call after those that the fault skips has the number 1. */
function affects({ every = 1, rate = 1, seed }: Selection, number: number): boolean {
  return number >= 1 && number % every === 0 && share(seed ?? faultDefaults.seed, number) < rate;
}

/** A number from 0 to below 1 that depends only on the seed and the number of a call. */
const share = (seed: number, number: number): number =>
  createHash("sha256").update(`${seed} ${number}`).digest().readUInt32BE() / 2 ** 32;
