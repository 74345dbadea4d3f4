import { typePaths } from "../../client/rentals/type.ts";
import { hourlyCostPaths, labelPaths, termEndPaths } from "../../command-kit/responses.ts";
import { rentalTypes, termTypes } from "../../contract/enums.ts";
import { statePaths } from "../../core/responses/rental.ts";
import { type Column, type ListView, nameOf, type RecordView } from "../../core/view.ts";

const [bareMetal] = rentalTypes;

/** The type of a virtual machine, as tables show it and as users type it. */
const vm = "vm";

/** Possible paths of a rental's fields: services name them differently. */
export const id = ["id", "rentalId"];
export const termPaths = ["termType", "currentTerm.termType"];
/** When a rental was created or, if the record does not say, when it started. */
export const createdPaths = ["createdAt", "startedAt"];

const common: readonly Column[] = [
  { title: "ID", paths: id },
  { title: "LABEL", paths: labelPaths },
  { title: "STATE", paths: statePaths },
  {
    title: "TYPE",
    paths: typePaths,
    spelling: { vm, virtualmachine: vm, baremetal: bareMetal },
    usual: vm,
    priority: 4,
  },
  { title: "GPU", paths: ["gpuType"], format: "gpus", priority: 1 },
  { title: "REGION", paths: ["region"], priority: 3 },
  { title: "TERM", paths: termPaths, usual: termTypes[0], priority: 5 },
  { title: "$/H", name: "costPerHourCents", paths: hourlyCostPaths, format: "cents", priority: 2 },
];

const ssh: Column = { title: "SSH", paths: ["providerData"], format: "ssh", whole: true };

export const activeRentals: ListView = {
  kind: "list",
  columns: [
    ...common,
    ssh,
    { title: "AGE", name: "created", paths: createdPaths, format: "time", priority: 1 },
  ],
  empty: "No active rentals.",
  id,
};

/** AGE shows the time since `created`, so the order by AGE is the reverse of the order by `created`. */
export const age = "age";

/** What active rentals can be sorted by: the columns, named as in `--columns`, and `age`. */
export const sortNames: readonly string[] = [...activeRentals.columns.map(nameOf), age];

/** Active rentals, with a column for changes next to the column for the state. */
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
    { title: "STARTED", paths: ["startedAt", "createdAt"], format: "time", priority: 1 },
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
    { title: "RESERVED UNTIL", paths: termEndPaths, format: "time" },
    { title: "CREATED", paths: ["createdAt"], format: "time" },
    { title: "STARTED", paths: ["startedAt"], format: "time" },
    { title: "ENDED", paths: ["terminatedAt"], format: "time" },
  ],
  id,
};
