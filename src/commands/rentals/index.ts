import type { CommandSpec } from "../spec.ts";
import { createCommands } from "./create-index.ts";
import { rental, rentOne, typeFlag, watchFlag } from "./flags.ts";
import { reachCommands } from "./reach-index.ts";
import { activeRentals, id, oneRental, pastRentals } from "./views.ts";

export const rentalCommands: readonly CommandSpec[] = [
  ...createCommands,
  {
    path: ["rentals", "list"],
    summary: "List the active rentals",
    operations: ["listVirtualMachineRentals", "listBareMetalRentals"],
    flags: [typeFlag, watchFlag],
    view: activeRentals,
    examples: [
      { text: "List everything that runs", command: "gpuctl rentals list --sandbox", after: [rentOne] },
      {
        text: "Just the ids of the virtual machines",
        command: "gpuctl rentals list --type vm -o id --sandbox",
        after: [rentOne],
      },
    ],
    load: () => import("./list.ts"),
  },
  {
    path: ["rentals", "get"],
    summary: "Look up one rental, running or ended",
    operations: ["getRental"],
    positionals: [rental],
    withoutFlag: ["rentalId"],
    view: oneRental,
    examples: [
      { text: "Show a rental", command: "gpuctl rentals get 1001 --sandbox", after: [rentOne] },
      {
        text: "As JSON, just as the service sends it",
        command: "gpuctl rentals get 1001 -o json --sandbox",
        after: [rentOne],
      },
    ],
    load: () => import("./get.ts"),
  },
  {
    path: ["rentals", "history"],
    summary: "List the rentals that have ended",
    operations: ["listRentalHistory"],
    view: pastRentals,
    examples: [
      { text: "List past rentals", command: "gpuctl rentals history --sandbox" },
      { text: "As JSON", command: "gpuctl rentals history -o json --sandbox" },
    ],
    load: () => import("./history.ts"),
  },
  {
    path: ["rentals", "summary"],
    summary: "Count the active rentals and show what they cost an hour",
    operations: ["getActiveRentalSummary"],
    view: { kind: "record", id: [] },
    examples: [
      { text: "What runs and what it costs", command: "gpuctl rentals summary --sandbox", after: [rentOne] },
      {
        text: "In cents, for a script",
        command: "gpuctl rentals summary -o json --sandbox",
        after: [rentOne],
      },
    ],
    load: () => import("./summary.ts"),
  },
  ...reachCommands,
  {
    path: ["rentals", "terminate"],
    summary: "End rentals, where the service lists an operation for it",
    details:
      "Goes by the service's own description. All of them are looked up first: when one is not there, none is ended. When ending one fails, the others are still ended.",
    operations: [],
    positionals: [
      { name: "RENTAL", required: true, variadic: true, text: "Id of a rental", completes: "rental" },
    ],
    confirms: "destruction",
    view: {
      kind: "list",
      columns: [
        { title: "ID", paths: id },
        { title: "LABEL", paths: ["label"] },
        { title: "MESSAGE", paths: ["message"] },
      ],
      empty: "Nothing was ended.",
      id,
    },
    examples: [
      { text: "End a rental", command: "gpuctl rentals terminate 1001 --yes --sandbox", after: [rentOne] },
      {
        text: "End two, and see the answers as they came",
        command: "gpuctl rentals terminate 1001 1002 --yes -o json --sandbox",
        after: [rentOne, rentOne],
      },
    ],
    load: () => import("./terminate.ts"),
  },
];
