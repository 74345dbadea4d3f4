import { rentalTypes } from "../../contract/enums.ts";
import type { Column, ListView, RecordView } from "../../core/view.ts";

const [bareMetal, virtualMachine] = rentalTypes;

/** Paths of the id of a rental. */
export const id = ["id", "rentalId"];
const type: Column = {
  title: "TYPE",
  paths: ["rentalType", "machineType", "meta.rental_type"],
  spelling: { vm: virtualMachine, virtualmachine: virtualMachine, baremetal: bareMetal },
};
const gpu: Column = { title: "GPU", paths: ["gpuType"], format: "gpus" };
/** Paths of the hourly cost of a rental, in cents. */
export const hourlyCostPaths = ["currentTerm.costPerHourCents", "costPerHourCents", "costPerHour"];
const cost: Column = { title: "$/H", name: "costPerHourCents", paths: hourlyCostPaths, format: "cents" };
const common: readonly Column[] = [
  { title: "ID", paths: id },
  { title: "LABEL", paths: ["label", "name", "meta.name"] },
  { title: "STATE", paths: ["state", "status"] },
  type,
  gpu,
  { title: "REGION", paths: ["region"] },
  { title: "TERM", paths: ["termType", "currentTerm.termType"] },
  cost,
];

/** Columns of active rentals. */
export const activeRentals: ListView = {
  kind: "list",
  columns: [
    ...common,
    { title: "SSH", paths: ["providerData"], format: "ssh" },
    { title: "AGE", name: "created", paths: ["createdAt", "startedAt"], format: "time" },
  ],
  empty: "No active rentals.",
  id,
};

/** The columns of a watch, with what changed next to the state. */
export const watchedRentals: ListView = {
  ...activeRentals,
  columns: activeRentals.columns.flatMap((column) =>
    column.title === "STATE" ? [column, { title: "CHANGE", paths: ["change"] }] : [column],
  ),
};

/** Columns of rentals that have ended. */
export const pastRentals: ListView = {
  kind: "list",
  columns: [
    ...common,
    { title: "STARTED", paths: ["startedAt", "createdAt"], format: "time" },
    { title: "ENDED", paths: ["terminatedAt"], format: "time" },
  ],
  empty: "No past rentals.",
  id,
};

/** One rental. */
export const oneRental: RecordView = {
  kind: "record",
  columns: [
    ...common,
    { title: "NETWORK", paths: ["networkType", "connectionType", "meta.network_type"] },
    { title: "SSH", paths: ["providerData"], format: "ssh" },
    { title: "RESERVED UNTIL", paths: ["reservedUntil", "currentTerm.reservedUntil"], format: "time" },
    { title: "CREATED", paths: ["createdAt"], format: "time" },
    { title: "STARTED", paths: ["startedAt"], format: "time" },
    { title: "ENDED", paths: ["terminatedAt"], format: "time" },
  ],
  id,
};
