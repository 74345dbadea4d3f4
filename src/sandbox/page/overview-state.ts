import { requestLog } from "../../core/sandbox.ts";
import type { Clock, ClockState } from "../clock.ts";
import type { SandboxControls, SandboxStatus } from "../control/controls.ts";
import type { FaultInfo } from "../faults/control.ts";
import type { OperationSet } from "../operation-set.ts";
import type { BootRuleInfo } from "../rentals/boots.ts";
import { rentalRecords } from "../rentals/record.ts";
import { latestRequests, type NumberedRequest } from "../requests/log.ts";
import type { SituationInfo } from "../situations/control.ts";
import { accountAt } from "../situations/money.ts";
import type { Queries } from "../store/queries.ts";
import { builtInUserId } from "../store/schema.ts";
import { activeRentals, type NumberedRental, pastRentals } from "../tables/rentals.ts";
import { listVolumes } from "../tables/volumes.ts";
import type { NumberedMedia, RecentMedia } from "./recent-media.ts";

/** The objects that the pages get their data from. */
export interface PageSource {
  readonly controls: SandboxControls;
  readonly store: Queries;
  readonly clock: Clock;
  readonly operationSet: OperationSet;
  readonly recent: RecentMedia;
}

type RentalRecord = ReturnType<typeof rentalRecords>[number];

/** The data that the overview shows at one moment. */
export interface OverviewState {
  readonly clock: ClockState;
  readonly status: SandboxStatus;
  /**
   * In cents. The credit and the used amount are those of the user with the built-in keys. `perHourCents` is the price
   * of all users' running rentals.
   */
  readonly money: { readonly creditCents: number; readonly usedCents: number; readonly perHourCents: number };
  /** The newest active rentals, then the newest past rentals, each from the newest to the oldest. */
  readonly rentals: readonly RentalRecord[];
  /** How many rentals are not shown. */
  readonly moreRentals: number;
  readonly volumesGb: number;
  /** Newest first. */
  readonly requests: readonly NumberedRequest[];
  readonly faults: readonly FaultInfo[];
  readonly boots: readonly BootRuleInfo[];
  readonly situations: readonly SituationInfo[];
  readonly media: readonly NumberedMedia[];
}

/** How many rentals are shown at most. */
const shown = { active: 20, ended: 5 };

export function readOverview({ controls, store, recent }: PageSource): OverviewState {
  const clock = controls.clock.show();
  const now = Date.parse(clock.now);
  const status = controls.status();
  const { creditCents, usedCents } = accountAt(store, builtInUserId, now);
  const records = (rentals: readonly NumberedRental[]) =>
    rentalRecords({ store, addressesOf: () => undefined }, rentals, now);
  const active = records(activeRentals(store, undefined, now));
  const ended = pastRentals(store, undefined, now);
  const rentals = [
    ...active.toReversed().slice(0, shown.active),
    ...records(ended.slice(-shown.ended)).toReversed(),
  ];
  return {
    clock,
    status,
    money: {
      creditCents,
      usedCents,
      perHourCents: active.reduce(
        (total, one) => (one.status === "Running" ? total + one.costPerHourCents : total),
        0,
      ),
    },
    rentals,
    moreRentals: active.length + ended.length - rentals.length,
    volumesGb: listVolumes(store, undefined).reduce((total, { sizeInGb }) => total + sizeInGb, 0),
    requests: latestRequests(store, requestLog.shown),
    faults: controls.faults.list(),
    boots: controls.boots.list(),
    situations: controls.situations.list(),
    media: recent.list(),
  };
}
