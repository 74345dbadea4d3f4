import type * as z from "zod";
import { check, type Issue } from "../../contract/check/check.ts";
import { faultDefaults } from "../../core/sandbox.ts";
import { nearest } from "../../core/text.ts";
import { servedOperations } from "../assumed/index.ts";
import { ControlRefused, issue, issueIf, issuesFor } from "../errors.ts";
import type { Store } from "../store/queries.ts";
import { removeRows } from "../tables/numbers.ts";
import { addFault, type Effect, faultInput, listFaults, type StoredFault } from "./table.ts";

/** A fault as shown to the user. */
export interface FaultInfo extends Effect {
  readonly id: number;
  readonly operation: string;
  /** What it does, in words. */
  readonly effect: string;
  readonly after: number;
  readonly every?: number | undefined;
  readonly rate?: number | undefined;
  readonly seed?: number | undefined;
  /** How many calls it affects; null for no limit. */
  readonly times: number | null;
  /** How many more calls it affects; null for no limit. */
  readonly left: number | null;
}

export interface FaultControl {
  /** @throws ControlRefused naming each invalid value */
  add(input: unknown): FaultInfo;
  list(): readonly FaultInfo[];
  /** Removes one fault, or all, and returns how many it removed. */
  clear(id?: number): number;
}

/** The default Retry-After of a 429, in seconds. */
export const defaultRetryAfter = 1;

export function faultControl(store: Store): FaultControl {
  return {
    add(input) {
      const checked = check({ input: faultInput }, input);
      if (!checked.ok) throw new ControlRefused(issuesFor("a fault", checked.issues));
      const { operation, after, times, every, rate, seed, ...effect } = checked.value;
      const issues = [...operationIssues(operation), ...choiceIssues(checked.value), ...effectIssues(effect)];
      if (issues.length > 0) throw new ControlRefused(issues);
      const retryAfterSeconds =
        effect.retryAfterSeconds ?? (effect.status === 429 ? defaultRetryAfter : undefined);
      const chooses = every !== undefined || rate !== undefined;
      const fault = {
        operation,
        after,
        times: times ?? (chooses ? null : faultDefaults.times),
        every,
        rate,
        seed: rate === undefined ? undefined : (seed ?? faultDefaults.seed),
        effect: { ...effect, retryAfterSeconds },
      };
      return info(addFault(store, fault));
    },
    list: () => listFaults(store).map(info),
    clear: (id) => removeRows(store, "faults", id),
  };
}

/** Issues of the name of an operation, or `*` for all. */
export function operationIssues(name: string): readonly Issue[] {
  const known = Object.keys(servedOperations);
  if (name === "*" || known.includes(name)) return [];
  const [near] = nearest(name, known);
  const examples = near ? "" : ` (such as ${known.slice(1, 3).join(" or ")})`;
  const question = near ? `: did you mean ${near}?` : "";
  return [
    issue(
      "operation",
      `must be * or the name of an operation${examples}, not ${JSON.stringify(name)}${question}`,
    ),
  ];
}

const choiceIssues = ({ every, rate, seed }: z.output<typeof faultInput>): readonly Issue[] => [
  ...issueIf(every !== undefined && rate !== undefined, "every", "cannot be combined with a rate"),
  ...issueIf(seed !== undefined && rate === undefined, "seed", "requires a rate"),
];

function effectIssues(effect: Effect): readonly Issue[] {
  const { status, delayMs, reset, cutStreamAfter, garbage, retryAfterSeconds } = effect;
  const responds = status !== undefined || garbage;
  const cuts = cutStreamAfter !== undefined;
  const waits = retryAfterSeconds !== undefined;
  const hasEffect = responds || reset || delayMs !== undefined || cuts;
  const alone = "cannot be combined with a status or with garbage";
  return [
    ...issueIf(!hasEffect, "status", "or another effect is required: a delay, a reset, a cut or garbage"),
    ...issueIf(reset && responds, "reset", alone),
    ...issueIf(cuts && responds, "cutStreamAfter", alone),
    ...issueIf(
      waits && !Number.isSafeInteger(retryAfterSeconds),
      "retryAfterSeconds",
      "must be a whole number of seconds",
    ),
    ...issueIf(waits && status === undefined, "retryAfterSeconds", "requires a status, such as 429"),
  ];
}

const info = ({ effect, id, operation, after, times, every, rate, seed, hits }: StoredFault): FaultInfo => ({
  id,
  operation,
  effect: inWords(effect) + choiceInWords({ every, rate, seed }),
  after,
  every,
  rate,
  seed,
  times,
  left: times === null ? null : times - hits,
  ...effect,
});

const choiceInWords = ({ every, rate, seed }: Pick<StoredFault, "every" | "rate" | "seed">): string =>
  every !== undefined
    ? `; every ${every} calls`
    : rate === undefined
      ? ""
      : `; ${Number((rate * 100).toPrecision(6))}% of the calls, by seed ${seed}`;

const inWords = (effect: Effect): string =>
  [
    effect.applied && "applies the operation",
    effect.delayMs !== undefined && `waits ${effect.delayMs / 1000} s`,
    effect.status !== undefined && `returns ${effect.status}`,
    effect.garbage && "returns invalid JSON",
    effect.retryAfterSeconds !== undefined && `sets Retry-After to ${effect.retryAfterSeconds} s`,
    effect.cutStreamAfter !== undefined && `cuts the response after ${effect.cutStreamAfter} events or KiB`,
    effect.reset && "resets the connection",
  ]
    .filter(Boolean)
    .join(", ");
