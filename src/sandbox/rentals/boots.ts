import * as z from "zod";
import { check } from "../../contract/check/check.ts";
import { bootOutcomes } from "../../core/sandbox.ts";
import { matchesGlob } from "../../core/text.ts";
import { latestMs, secondMs } from "../clock.ts";
import { ControlRefused, issuesFor } from "../errors.ts";
import type { Queries, Row, Store } from "../store/queries.ts";
import { removeRows } from "../tables/numbers.ts";
import { type Boot, bootMs, type RentalType } from "./lifecycle.ts";

/** The time that a slow boot takes by default, in milliseconds. */
export const slowBootMs = 600 * secondMs;

const bootFields = {
  outcome: z.enum(bootOutcomes),
  /** The time after which the rental runs, or has failed. */
  afterSeconds: z
    .number()
    .min(0)
    .max(latestMs / secondMs)
    .optional(),
};

type BootOutcome = z.output<z.ZodObject<typeof bootFields>>;

const isPossible = ({ outcome, afterSeconds }: BootOutcome): boolean =>
  outcome !== "never" || afterSeconds === undefined;
const impossible = { path: ["afterSeconds"], error: 'must be left out when outcome is "never"' };

/** How one rental boots, as written in a seed file. */
export const bootInput = z.strictObject(bootFields).refine(isPossible, impossible);

/** The format of a boot rule, which decides how new rentals boot. */
export const bootRuleInput = z
  .strictObject({
    ...bootFields,
    /** The rule applies only to rentals whose label matches this glob. */
    label: z.string().min(1).optional(),
    /** How many rentals the rule applies to; all by default. */
    times: z.int().min(1).optional(),
  })
  .refine(isPossible, impossible);

type BootRule = z.output<typeof bootRuleInput>;

/** A boot rule as shown to the user. */
export interface BootRuleInfo {
  readonly id: number;
  readonly outcome: BootOutcome["outcome"];
  /** Seconds until a rental runs or has failed. Null if neither happens, or if the boot takes the usual time. */
  readonly afterSeconds: number | null;
  readonly label: string | null;
  /** How many rentals the rule applies to; null for no limit. */
  readonly times: number | null;
  /** How many more rentals the rule applies to; null for no limit. */
  readonly left: number | null;
}

/** Controls the boot rules, which decide how new rentals boot. */
export interface BootRuleControl {
  /** @throws ControlRefused naming what is invalid */
  add(input: unknown): BootRuleInfo;
  list(): readonly BootRuleInfo[];
  /** Removes one rule, or all, and returns how many it removed. */
  clear(id?: number): number;
}

interface StoredRule {
  readonly id: number;
  /** How many rentals the rule was applied to. */
  readonly hits: number;
  readonly rule: BootRule;
}

const stored = ({ id, hits, record }: Row): StoredRule => ({
  id: Number(id),
  hits: Number(hits),
  rule: JSON.parse(String(record)),
});

const listRules = (store: Queries): readonly StoredRule[] =>
  store.all("SELECT * FROM boots ORDER BY id").map(stored);

/** Throws if a stored rule is not valid. */
export function assertBootRules(store: Queries): void {
  for (const { id, rule } of listRules(store)) {
    const checked = check({ input: bootRuleInput }, rule);
    if (checked.ok) continue;
    const [issue] = checked.issues;
    throw new Error(`boot rule ${id} is not valid: ${issue?.path.join(".")} ${issue?.message}`);
  }
}

export function bootControl(store: Store): BootRuleControl {
  return {
    add(input) {
      const checked = check({ input: bootRuleInput }, input);
      if (!checked.ok) throw new ControlRefused(issuesFor("a boot rule", checked.issues));
      const rule = checked.value;
      const id = store.run("INSERT INTO boots (hits, record) VALUES (0, ?)", JSON.stringify(rule));
      return info({ id, hits: 0, rule });
    },
    list: () => listRules(store).map(info),
    clear: (id) => removeRows(store, "boots", id),
  };
}

const info = ({ id, hits, rule }: StoredRule): BootRuleInfo => ({
  id,
  outcome: rule.outcome,
  afterSeconds: rule.afterSeconds ?? (rule.outcome === "slow" ? slowBootMs / secondMs : null),
  label: rule.label ?? null,
  times: rule.times ?? null,
  left: rule.times === undefined ? null : rule.times - hits,
});

/**
 * Returns the boot of the oldest matching rule that is not used up, and counts the rule's use. Returns undefined if
 * there is no such rule.
 */
export function takeBoot(
  store: Queries,
  { label = "", rentalType }: { readonly label?: string | undefined; readonly rentalType: RentalType },
): Boot | undefined {
  const found = listRules(store).find(
    ({ hits, rule }) =>
      (rule.times === undefined || hits < rule.times) &&
      (rule.label === undefined || matchesGlob(label, rule.label)),
  );
  if (found === undefined) return undefined;
  store.run("UPDATE boots SET hits = hits + 1 WHERE id = ?", found.id);
  return bootOf(found.rule, rentalType);
}

/**
 * Returns the boot for an outcome. Without `afterSeconds`, `afterMs` is `slowBootMs` for a slow boot, and the usual
 * time for any other boot.
 */
export function bootOf({ outcome, afterSeconds }: BootOutcome, rentalType: RentalType): Boot {
  const defaultMs = outcome === "slow" ? slowBootMs : bootMs[rentalType];
  return { outcome, afterMs: afterSeconds === undefined ? defaultMs : Math.round(afterSeconds * secondMs) };
}
