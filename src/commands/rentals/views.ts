import { labelPaths } from "../../command-kit/responses.ts";
import { rentalTypes } from "../../contract/enums.ts";
import type { Column, ListView, RecordView } from "../../core/view.ts";

const [bareMetal, virtualMachine] = rentalTypes;

/** Possible paths of a rental's fields: services name them differently. */
export const id = ["id", "rentalId"];
export const typePaths = ["rentalType", "machineType", "meta.rental_type"];
export const termPaths = ["termType", "currentTerm.termType"];
/** When a rental was created or, if the record does not say, when it started. */
export const createdPaths = ["createdAt", "startedAt"];
/** In cents. */
export const hourlyCostPaths = ["currentTerm.costPerHourCents", "costPerHourCents", "costPerHour"];

const common: readonly Column[] = [
  { title: "ID", paths: id },
  { title: "LABEL", paths: labelPaths },
  { title: "STATE", paths: ["state", "status"] },
  {
    title: "TYPE",
    paths: typePaths,
    spelling: { vm: virtualMachine, virtualmachine: virtualMachine, baremetal: bareMetal },
  },
  { title: "GPU", paths: ["gpuType"], format: "gpus" },
  { title: "REGION", paths: ["region"] },
  { title: "TERM", paths: termPaths },
  { title: "$/H", name: "costPerHourCents", paths: hourlyCostPaths, format: "cents" },
];

const ssh: Column = { title: "SSH", paths: ["providerData"], format: "ssh" };

export const activeRentals: ListView = {
  kind: "list",
  columns: [...common, ssh, { title: "AGE", name: "created", paths: createdPaths, format: "time" }],
  empty: "No active rentals.",
  id,
};

/** Active rentals, with what changed next to the state. */
export const watchedRentals: ListView = {
  ...activeRentals,
  columns: activeRentals.columns.flatMap((column) =>
    column.title === "STATE" ? [column, { title: "CHANGE", paths: ["change"] }] : [column],
  ),
};

/** Rentals that have ended. */
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

export const oneRental: RecordView = {
  kind: "record",
  columns: [
    ...common,
    { title: "NETWORK", paths: ["networkType", "connectionType", "meta.network_type"] },
    ssh,
    { title: "RESERVED UNTIL", paths: ["reservedUntil", "currentTerm.reservedUntil"], format: "time" },
    { title: "CREATED", paths: ["createdAt"], format: "time" },
    { title: "STARTED", paths: ["startedAt"], format: "time" },
    { title: "ENDED", paths: ["terminatedAt"], format: "time" },
  ],
  id,
};
