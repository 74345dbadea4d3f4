import type { CommandSpec, Flag } from "../spec.ts";
import { rental, waitTimeout, watchFlag } from "./flags.ts";
import { reachCommands } from "./reach-index.ts";
import { activeRentals, id, oneRental, pastRentals } from "./views.ts";

const createFlags: readonly Flag[] = [
  { names: ["wait"], text: "Wait until the rental runs" },
  waitTimeout,
  {
    names: ["max-burn"],
    value: "AMOUNT",
    text: "Refuse when what is active already costs this many dollars an hour or more",
  },
];

const vm = "gpuctl rentals create vm --gpus 1 --sandbox --yes";

export const rentalCommands: readonly CommandSpec[] = [
  {
    path: ["rentals", "create", "vm"],
    summary: "Rent a virtual machine",
    operations: ["createVirtualMachineRental", "listVirtualMachineRentals", "getActiveRentalSummary"],
    flags: createFlags,
    confirms: "spending",
    view: oneRental,
    examples: [
      { text: "Rent one H100", command: vm },
      {
        text: "Two H200 in eu-north-4 with a web port, and wait until it runs",
        command:
          "gpuctl rentals create vm --gpus 2 --gpu h200 --region eu-north-4 --custom-ports 8080 --wait --sandbox --yes",
      },
    ],
    load: () => import("./create-vm.ts"),
  },
  {
    path: ["rentals", "create", "bare-metal"],
    summary: "Rent bare-metal machines",
    operations: ["createBareMetalRental", "listBareMetalRentals", "getActiveRentalSummary"],
    withoutFlag: ["storageVolume"],
    flags: [
      {
        names: ["storage-volume"],
        value: "ID",
        text: "Existing storage volume to attach",
        completes: "volume",
        gives: ["storageVolume.id", "storageVolume.isNew"],
      },
      {
        names: ["new-volume"],
        value: "LABEL",
        text: "Create a storage volume of this name and attach it; needs --new-volume-size",
        gives: ["storageVolume.label"],
      },
      {
        names: ["new-volume-size"],
        value: "GB",
        text: "Size of the new volume",
        gives: ["storageVolume.sizeInGb"],
      },
      ...createFlags,
    ],
    confirms: "spending",
    view: oneRental,
    examples: [
      {
        text: "Rent a machine with 8 H100 and InfiniBand",
        command: "gpuctl rentals create bare-metal --gpus 8 --network-type infiniband --sandbox --yes",
      },
      {
        text: "With a new storage volume of 1 TB",
        command:
          "gpuctl rentals create bare-metal --gpus 8 --network-type ethernet --new-volume training-data --new-volume-size 1024 --sandbox --yes",
      },
    ],
    load: () => import("./create-bare-metal.ts"),
  },
  {
    path: ["rentals", "list"],
    summary: "List the active rentals",
    operations: ["listVirtualMachineRentals", "listBareMetalRentals"],
    flags: [
      {
        names: ["type"],
        value: "TYPE",
        choices: ["vm", "bare-metal"],
        text: "Only this type; both when left out",
      },
      watchFlag,
    ],
    view: activeRentals,
    examples: [
      { text: "List everything that runs", command: "gpuctl rentals list --sandbox", after: [vm] },
      {
        text: "Just the ids of the virtual machines",
        command: "gpuctl rentals list --type vm -o id --sandbox",
        after: [vm],
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
      { text: "Show a rental", command: "gpuctl rentals get 1001 --sandbox", after: [vm] },
      {
        text: "As JSON, just as the service sends it",
        command: "gpuctl rentals get 1001 -o json --sandbox",
        after: [vm],
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
      { text: "What runs and what it costs", command: "gpuctl rentals summary --sandbox", after: [vm] },
      { text: "In cents, for a script", command: "gpuctl rentals summary -o json --sandbox", after: [vm] },
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
      { text: "End a rental", command: "gpuctl rentals terminate 1001 --yes --sandbox", after: [vm] },
      {
        text: "End two, and see the answers as they came",
        command: "gpuctl rentals terminate 1001 1002 --yes -o json --sandbox",
        after: [vm, vm],
      },
    ],
    load: () => import("./terminate.ts"),
  },
];
