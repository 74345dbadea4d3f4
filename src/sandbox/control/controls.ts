import type { EngineKind } from "../../core/sandbox.ts";
import { type ChatScriptControl, chatScriptControl } from "../chat-script/control.ts";
import { type Clock, type ClockControl, clockControl, sandboxClock } from "../clock.ts";
import { type FaultControl, faultControl } from "../faults/control.ts";
import { isFaultActive } from "../faults/table.ts";
import { type BootRuleControl, bootControl } from "../rentals/boots.ts";
import { type RequestControl, requestControl } from "../requests/control.ts";
import {
  type ScenarioPart,
  type SituationControl,
  setScenario,
  situationControl,
} from "../situations/control.ts";
import { accountAt, endUnpaidRentals } from "../situations/money.ts";
import type { Queries, Store } from "../store/queries.ts";
import { builtInUserId } from "../store/schema.ts";
import { isActiveAt } from "../tables/rentals.ts";
import { userIds } from "../tables/users.ts";
import { type EngineControl, engineControl, enginesInUse } from "./engines.ts";
import { restoreSnapshot, type Snapshot, takeSnapshot } from "./snapshot.ts";

export interface SandboxStatus {
  readonly file: string;
  /** The sandbox's time, ISO 8601. */
  readonly now: string;
  readonly frozen: boolean;
  /** The remaining credit of the user with the built-in keys, in cents. */
  readonly balanceCents: number;
  readonly rentals: { readonly active: number; readonly ended: number };
  readonly volumes: number;
  /**
   * Whether the user with the built-in keys exists. If not, the keys do not work until the state is reset or replaced.
   */
  readonly userExists: boolean;
  /** The number of faults that can still affect calls. */
  readonly faults: number;
  /** The URL of the engine of each kind; null for a kind without an engine. */
  readonly engines: Readonly<Record<EngineKind, string | null>>;
}

/** Controls that read and change a sandbox's state directly, without calling the service. */
export interface SandboxControls {
  readonly clock: ClockControl;
  readonly faults: FaultControl;
  readonly engines: EngineControl;
  readonly boots: BootRuleControl;
  readonly situations: SituationControl;
  readonly chatScript: ChatScriptControl;
  readonly requests: RequestControl;
  /**
   * Replaces the situations, boot rules and faults with those of a scenario.
   * @throws ControlRefused when there is no such scenario
   */
  scenario(name: string): readonly ScenarioPart[];
  status(): SandboxStatus;
  /** Replaces the state with a YAML or JSON document. @throws ControlRefused naming what is invalid */
  seed(text: string): Promise<void>;
  /**
   * Checks a seed (a text in YAML or JSON, or an object) and returns a function that replaces the state with the seed.
   * @throws ControlRefused naming what is invalid
   */
  prepareSeed(seed: string | object): Promise<() => void>;
  /** The whole state as one JSON document, without the request log and the names of engines' key variables. */
  snapshot(): Snapshot;
  /** Replaces the state with a snapshot. @throws ControlRefused when the snapshot cannot be used */
  restore(text: string): void;
  /**
   * Restores the state that the sandbox started with. Without a seed and a scenario, this state has one user and the
   * built-in keys, but no rentals, faults, engines, boot rules, situations or chat script, and its clock follows the
   * computer's clock.
   */
  reset(): void;
}

/**
 * The controls of a store, which keeps its state in `file`. `machine` is the computer's clock, and `environment`
 * returns the value of an environment variable.
 */
export function controlsOf(
  store: Store,
  {
    machine,
    file,
    environment,
  }: { machine: Clock; file: string; environment: (name: string) => string | undefined },
): SandboxControls {
  const clock = clockControl(store, machine);
  const now = sandboxClock(store, machine);
  const prepareSeed = async (given: string | object): Promise<() => void> => {
    const [{ checkSeed, readSeed }, { fill }] = await Promise.all([
      import("../seed/read.ts"),
      import("../seed/fill.ts"),
    ]);
    const seed = typeof given === "string" ? await readSeed(given) : checkSeed(given);
    return () => fill(store, seed, machine());
  };
  /** The time. Before it is returned, ends the rentals of prepaid accounts whose balance is used up. */
  const settledNow = (): number => {
    const moment = now();
    for (const userId of userIds(store)) endUnpaidRentals(store, userId, moment);
    return moment;
  };
  const situations = situationControl(store, now);
  return {
    clock,
    faults: faultControl(store, () => Date.parse(clock.show().now)),
    engines: engineControl(store, environment),
    boots: bootControl(store),
    situations: {
      ...situations,
      add: (input) => {
        settledNow();
        return situations.add(input);
      },
      clear: (id) => {
        settledNow();
        return situations.clear(id);
      },
    },
    scenario: (name) => setScenario(store, name, settledNow()),
    chatScript: chatScriptControl(store),
    requests: requestControl(store, () => Date.parse(clock.show().now)),
    status: () => {
      const { now: time, frozen } = clock.show();
      const moment = settledNow();
      const { balanceCents } = accountAt(store, builtInUserId, moment);
      return {
        file,
        now: time,
        frozen,
        ...countAll(store, moment),
        balanceCents,
        engines: enginesInUse(store),
      };
    },
    seed: async (text) => (await prepareSeed(text))(),
    prepareSeed,
    snapshot: () => takeSnapshot(store, clock.show),
    restore: (text) => restoreSnapshot(store, text, machine),
    reset: () => store.reset(machine()),
  };
}

function countAll(store: Queries, now: number) {
  const [row] = store.all(
    `SELECT
      (SELECT count(*) FROM rentals WHERE ${isActiveAt("?1")}) AS active,
      (SELECT count(*) FROM rentals WHERE endsAt <= ?1) AS ended,
      (SELECT count(*) FROM volumes) AS volumes,
      (SELECT count(*) FROM users WHERE deletedAt IS NULL AND id = '${builtInUserId}') AS users,
      (SELECT count(*) FROM faults WHERE ${isFaultActive}) AS faults`,
    now,
  );
  return {
    rentals: { active: Number(row?.active), ended: Number(row?.ended) },
    volumes: Number(row?.volumes),
    userExists: Number(row?.users) > 0,
    faults: Number(row?.faults),
  };
}
