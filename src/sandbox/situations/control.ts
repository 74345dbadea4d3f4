import { check } from "../../contract/check/check.ts";
import type { Clock } from "../clock.ts";
import { ControlRefused, invalid, issuesFor } from "../errors.ts";
import { faultControl } from "../faults/control.ts";
import { bootControl } from "../rentals/boots.ts";
import { operationIssues } from "../requests/match.ts";
import type { Queries, Store } from "../store/queries.ts";
import { removeRows } from "../tables/numbers.ts";
import { findRental } from "../tables/rentals.ts";
import { userIds } from "../tables/users.ts";
import { setBalance } from "./money.ts";
import { planForActive } from "./rentals.ts";
import { partsOf } from "./scenarios.ts";
import {
  listSituations,
  type Situation,
  type StoredSituation,
  saveSituation,
  situationInput,
} from "./table.ts";

/** A situation as shown to the user. */
export type SituationInfo = Situation & {
  readonly id: number;
  /** What the situation does, in words. */
  readonly effect: string;
  /** How many rentals, calls or pictures the situation has affected. */
  readonly affected: number;
};

/** Controls the situations: what happens to rentals, calls and money. */
export interface SituationControl {
  /** @throws ControlRefused naming what is invalid */
  add(input: unknown): SituationInfo;
  list(): readonly SituationInfo[];
  /**
   * Removes one situation, or all, and returns how many were removed. Rentals that are already planned to end or fail
   * still do so.
   */
  clear(id?: number): number;
}

/** A part of a scenario. */
export interface ScenarioPart {
  readonly control: "situation" | "boot" | "fault";
  readonly id: number;
  /** What the part does, in words. */
  readonly effect: string;
}

export const situationControl = (store: Store, clock: Clock): SituationControl => ({
  add: (input) => store.write(() => addSituation(store, input, clock())),
  list: () => listSituations(store).map(info),
  clear: (id) => removeRows(store, "situations", id),
});

/**
 * Replaces the situations, boot rules and faults with those of a scenario, and returns the parts of the scenario.
 * @throws ControlRefused when there is no such scenario
 */
export const setScenario = (store: Store, name: string, now: number): readonly ScenarioPart[] =>
  store.write(() => {
    for (const table of ["situations", "boots", "faults"]) store.run(`DELETE FROM ${table}`);
    return addScenario(store, name, now);
  });

/** Adds the parts of a scenario, and returns them. @throws ControlRefused when there is no such scenario */
export function addScenario(store: Store, name: string, now: number): readonly ScenarioPart[] {
  const { situations = [], boots = [], faults = [] } = partsOf(name);
  return [
    ...situations.map((one) => part("situation", addSituation(store, one, now))),
    ...boots.map((one) => {
      const { id, outcome, afterSeconds } = bootControl(store).add(one);
      return { control: "boot", id, effect: `${outcome}: ${afterSeconds} s` } as const;
    }),
    ...faults.map((one) => part("fault", faultControl(store, () => now).add(one))),
  ];
}

const part = (
  control: ScenarioPart["control"],
  { id, effect }: { readonly id: number; readonly effect: string },
): ScenarioPart => ({ control, id, effect });

/** Adds a situation. @throws ControlRefused naming what is invalid */
export function addSituation(store: Queries, input: unknown, now: number): SituationInfo {
  const checked = check({ input: situationInput }, input);
  if (!checked.ok) throw new ControlRefused(issuesFor("this situation", checked.issues));
  const situation = checked.value;
  if (situation.kind === "rate-limit") {
    const issues = operationIssues(situation.operation, ["*"]);
    if (issues.length > 0) throw new ControlRefused(issues);
  }
  const saved = saveSituation(store, situation, now);
  if (situation.kind === "interruption" || situation.kind === "failure") {
    const { rentalId } = situation;
    if (rentalId !== undefined && findRental(store, undefined, rentalId) === undefined) {
      throw invalid("rentalId", `must be the ID of a rental: ${rentalId} does not exist`);
    }
    planForActive(store, { ...saved, situation }, now);
  }
  if (situation.kind === "prepaid" && situation.balanceCents !== undefined) {
    for (const userId of userIds(store)) setBalance(store, userId, situation.balanceCents, now);
  }
  return info(listSituations(store).find(({ id }) => id === saved.id) ?? saved);
}

const info = ({ id, hits, situation }: StoredSituation): SituationInfo => ({
  ...situation,
  id,
  effect: inWords(situation),
  affected: hits,
});

function inWords(situation: Situation): string {
  switch (situation.kind) {
    case "capacity": {
      const { gpus, gpuType = "each GPU type", regions } = situation;
      const place = regions?.join(", ") ?? "every region";
      return gpus === 0
        ? `${gpuType} is sold out in ${place}`
        : `at most ${gpus} GPUs of ${gpuType} in ${place}`;
    }
    case "quota":
      return `the ${situation.gpuType ?? "GPU"} quota is ${situation.gpus}`;
    case "interruption":
      return `ends ${rentalsInWords(situation)} ${timeInWords(situation)}`;
    case "failure":
      return `makes ${rentalsInWords(situation)} fail ${timeInWords(situation)}`;
    case "rate-limit": {
      const { operation, requests, windowSeconds } = situation;
      const calls = operation === "*" ? "calls" : `calls of ${operation}`;
      return `at most ${requests} ${calls} in ${windowSeconds} s`;
    }
    case "prepaid":
      return "ends rentals and refuses new ones when the balance is used up";
    case "picture-prices":
      return "pictures are paid from the balance";
    case "same-region":
      return "a volume attaches only to rentals in its own region";
  }
}

type PlannedEnd = Extract<Situation, { kind: "interruption" | "failure" }>;

function rentalsInWords({ rentalId, label, times }: PlannedEnd): string {
  const which =
    rentalId === undefined ? (times === undefined ? "rentals" : `${times} rentals`) : `rental ${rentalId}`;
  return label === undefined ? which : `${which} labeled ${label}`;
}

const timeInWords = ({ afterSeconds = 0, at }: PlannedEnd): string =>
  at === undefined ? `after ${afterSeconds} s` : `at ${at}`;
