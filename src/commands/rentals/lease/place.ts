import type { Context } from "../../../command-kit/context.ts";
import { labelOf } from "../../../command-kit/responses.ts";
import { asRecord } from "../../../core/json.ts";
import { idOf } from "../../../core/responses/rental.ts";
import { duration, timeUnits } from "../../../core/values/durations.ts";
import type { Column, ListView, RecordView } from "../../../core/view.ts";
import type { Lease } from "../../../jobs/leases.ts";

type Clocks = Pick<Context, "now" | "serviceNow" | "settings">;

/**
 * The current time on each clock that counts for leases: the service's clock and this machine's clock, because either
 * may be wrong. In the sandbox, only the sandbox's clock counts, because the user can move it.
 */
export const clocks = ({ now, serviceNow, settings }: Clocks): readonly number[] =>
  settings.sandbox ? [serviceNow()] : [serviceNow(), now()];

/** The end of a lease of this length that begins now, according to the later clock. */
export const leaseEnd = (milliseconds: number, context: Clocks): number =>
  Math.max(...clocks(context)) + milliseconds;

/** Warns if the two clocks differ by about a minute or more, because a lease may then end later than expected. */
export function warnIfClocksDiffer(context: Clocks & Pick<Context, "say">): void {
  const [service = 0, local = service] = clocks(context);
  const minute = timeUnits[2].milliseconds;
  const minutes = Math.round(Math.abs(local - service) / minute);
  if (minutes === 0) return;
  const difference = duration(minutes * minute);
  context.say(
    `Warning: this computer's clock is ${difference} ${local > service ? "ahead of" : "behind"} the service's. Leases use the later clock, so the rental may be billed up to ${difference} longer than you expect. Correct the clock, then run \`gpuctl rentals lease set\`.`,
  );
}

/** The facts about a rental that its lease stores. */
export function rentalOf(
  record: unknown,
): Pick<Lease, "label" | "rentalCreatedAt"> & { rentalId: string | undefined } {
  const { createdAt } = asRecord(record);
  return {
    rentalId: idOf(record),
    label: labelOf(record),
    rentalCreatedAt: typeof createdAt === "string" ? createdAt : undefined,
  };
}

/** A pending lease has no rental ID, so its token identifies it. */
const id = ["rentalId", "token"];

const columns: readonly Column[] = [
  { title: "ID", paths: id },
  { title: "LABEL", paths: ["label"] },
  { title: "ENDS", name: "endsAt", paths: ["endsAt"], format: "time", whole: true },
  { title: "STARTED", name: "startedAt", paths: ["startedAt"], format: "time", priority: 2 },
  { title: "BY", paths: ["by"], priority: 3 },
  { title: "NOTE", paths: ["note"], usual: "", priority: 1 },
  {
    title: "ENDS WITH PROCESS",
    name: "endsWithProcess",
    paths: ["endsWithProcess"],
    format: "yes-no",
    usual: "",
    priority: 1,
  },
  { title: "KEPT UNTIL", name: "keptUntil", paths: ["keptUntil"], format: "time", usual: "", priority: 1 },
];

export const leaseList: ListView = { kind: "list", columns, empty: "No leases.", id };
export const oneLease: RecordView = { kind: "record", columns, id };
