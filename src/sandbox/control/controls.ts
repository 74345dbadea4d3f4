import type { Clock } from "../clock.ts";
import { balanceAt } from "../ledger.ts";
import { firstUser } from "../schema.ts";
import type { Store } from "../store.ts";
import { type Counts, countAll } from "../tables/counts.ts";
import { creditOf } from "../tables/credits.ts";
import { allRentals } from "../tables/rentals.ts";
import { lastRequests, type NumberedRequest } from "../tables/requests.ts";
import { type ClockControl, clockControl } from "./clock.ts";
import { type FaultControl, faultControl } from "./faults.ts";
import { restoreSnapshot, type Snapshot, takeSnapshot } from "./snapshot.ts";

export interface SandboxStatus extends Counts {
  readonly file: string;
  /** The sandbox's time, ISO 8601. */
  readonly now: string;
  readonly frozen: boolean;
  /** What the user may still use up, in cents. */
  readonly balanceCents: number;
}

/** What makes and changes a sandbox's state, beside the service itself. */
export interface SandboxControls {
  readonly clock: ClockControl;
  readonly faults: FaultControl;
  status(): SandboxStatus;
  /** Puts a YAML or JSON document in the place of the state. Throws `ControlRefused` that names what is wrong and where. */
  seed(text: string): Promise<void>;
  /** The whole state as one JSON document. */
  snapshot(): Snapshot;
  /** Puts the text of a snapshot in the place of the state. Throws `ControlRefused` when it is none that can be used. */
  restore(text: string): void;
  /** Restores the initial state: one user, the keys, nothing rented, the machine's clock, no faults. */
  reset(): void;
  /** The last requests, the oldest of them first. */
  requests(limit: number): readonly NumberedRequest[];
}

/** The controls of a state in a file. `machine` is the machine's clock. */
export function controlsOf(store: Store, machine: Clock, file: string): SandboxControls {
  const clock = clockControl(store, machine);
  return {
    clock,
    faults: faultControl(store),
    status: () => {
      const { now, frozen } = clock.show();
      const moment = Date.parse(now);
      const credit = creditOf(store, firstUser);
      const { balanceCents } = balanceAt(credit, allRentals(store, firstUser), moment);
      return { file, now, frozen, ...countAll(store, moment), balanceCents };
    },
    seed: async (text) => {
      const [{ readSeed }, { fill }] = await Promise.all([
        import("../seed/read.ts"),
        import("../seed/fill.ts"),
      ]);
      fill(store, await readSeed(text), machine());
    },
    snapshot: () => takeSnapshot(store, clock.show),
    restore: (text) => restoreSnapshot(store, text, machine),
    reset: () => store.reset(machine()),
    requests: (limit) => lastRequests(store, limit),
  };
}
