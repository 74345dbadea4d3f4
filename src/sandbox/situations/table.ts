import * as z from "zod";
import { gpuTypes, volumeRegions } from "../../contract/enums.ts";
import { dateTime } from "../../contract/shared.ts";
import type { SituationKind } from "../../core/sandbox.ts";
import { latestMs, secondMs } from "../clock.ts";
import type { Queries, Row } from "../store/queries.ts";

const gpuCount = z.int().min(0);
const seconds = z
  .number()
  .min(0)
  .max(latestMs / secondMs);

/** Which rentals end early or fail, and when. */
const plannedEnd = {
  /** The situation applies only to this active rental. */
  rentalId: z.int().gt(0).optional(),
  /** The situation applies only to rentals whose label matches this glob: `*` is any text, `?` is any character. */
  label: z.string().min(1).optional(),
  /**
   * The delay, 0 by default. It counts from when a rental starts to run or, if the rental already runs, from when the
   * situation is added.
   */
  afterSeconds: seconds.optional(),
  /** When a rental ends or fails. If the rental starts to run after this time, it ends or fails at its start. */
  at: dateTime("When the rentals end or fail").optional(),
  /** How many rentals the situation applies to; all by default. */
  times: z.int().min(1).optional(),
};

const isOneTime = ({ afterSeconds, at }: { afterSeconds?: number | undefined; at?: string | undefined }) =>
  afterSeconds === undefined || at === undefined;
const twoTimes = { path: ["at"], error: "cannot be combined with a delay" };

const kind = <const Kind extends SituationKind, Shape extends z.core.$ZodLooseShape>(
  name: Kind,
  shape: Shape,
) => z.strictObject({ kind: z.literal(name), ...shape });

/** The format of each kind of situation. */
export const situationInput = z.discriminatedUnion("kind", [
  /** Limits how many GPUs of a type all rentals in a region have together. */
  kind("capacity", {
    /** Every type by default. */
    gpuType: z.enum(gpuTypes).optional(),
    /** Every region by default. */
    regions: z.array(z.enum(volumeRegions)).min(1).optional(),
    gpus: gpuCount.default(0),
  }),
  /** Limits how many GPUs each account can have, of one type or in total. */
  kind("quota", { gpuType: z.enum(gpuTypes).optional(), gpus: gpuCount }),
  /** Running rentals end. */
  kind("interruption", plannedEnd).refine(isOneTime, twoTimes),
  /** Running rentals become Failed. */
  kind("failure", plannedEnd).refine(isOneTime, twoTimes),
  /** Limits how many calls are accepted in each window of time. */
  kind("rate-limit", {
    operation: z.string().default("*"),
    requests: z.int().min(1),
    windowSeconds: seconds.gt(0).default(60),
  }),
  /** When the balance is used up, rentals end, and everything that costs money is refused. */
  kind("prepaid", {
    /** Sets the balance when the situation is added. */
    balanceCents: z.int().optional(),
  }),
  /** Pictures are paid from the balance (service section 4.5). */
  kind("picture-prices", {}),
  /** A volume can be attached only to rentals in its own region. */
  kind("same-region", {}),
]);

export type Situation = z.output<typeof situationInput>;
export type SituationOf<Kind extends SituationKind> = Extract<Situation, { readonly kind: Kind }>;

export interface StoredSituation<Kind extends SituationKind = SituationKind> {
  readonly id: number;
  /** How many rentals, calls or pictures the situation has affected. Always 0 for `same-region`. */
  readonly hits: number;
  /** When the situation was added, or when a rate limit's current window began, in milliseconds since 1970. */
  readonly at: number;
  /** The number of calls in the current window. */
  readonly calls: number;
  readonly situation: SituationOf<Kind>;
}

const stored = <Kind extends SituationKind>({ id, hits, at, calls, record }: Row): StoredSituation<Kind> => ({
  id: Number(id),
  hits: Number(hits),
  at: Number(at),
  calls: Number(calls),
  situation: JSON.parse(String(record)),
});

export const listSituations = (store: Queries): readonly StoredSituation[] =>
  store.all("SELECT * FROM situations ORDER BY id").map((row) => stored(row));

export const hasSituations = (store: Queries): boolean =>
  store.all("SELECT 1 FROM situations LIMIT 1").length > 0;

/** The situations of a kind, oldest first. */
export const situationsOf = <Kind extends SituationKind>(
  store: Queries,
  name: Kind,
): readonly StoredSituation<Kind>[] =>
  store
    .all("SELECT * FROM situations WHERE record ->> 'kind' = ? ORDER BY id", name)
    .map((row) => stored<Kind>(row));

export function saveSituation(store: Queries, situation: Situation, at: number): StoredSituation {
  const sql = "INSERT INTO situations (hits, at, calls, record) VALUES (0, ?, 0, ?)";
  return { id: store.run(sql, at, JSON.stringify(situation)), hits: 0, at, calls: 0, situation };
}

export function countHit(store: Queries, id: number, count: 1 | -1 = 1): void {
  store.run("UPDATE situations SET hits = hits + ? WHERE id = ?", count, id);
}

/** Throws if a stored situation is not valid. */
export function assertSituations(store: Queries): void {
  for (const { id, situation } of listSituations(store)) {
    if (!situationInput.safeParse(situation).success) throw new Error(`the situation ${id} is not valid`);
  }
}
