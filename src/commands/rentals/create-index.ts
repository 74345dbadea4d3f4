import type { CommandSpec, Flag } from "../spec.ts";
import { rentOne, waitTimeout } from "./flags.ts";
import { oneRental } from "./views.ts";

const createFlags: readonly Flag[] = [
  { names: ["wait"], text: "Wait until the rental runs" },
  waitTimeout,
  {
    names: ["max-burn"],
    value: "AMOUNT",
    text: "Refuse when what is active already costs this many dollars an hour or more",
  },
];

/** Commands that rent something. */
export const createCommands: readonly CommandSpec[] = [
  {
    path: ["rentals", "create", "vm"],
    summary: "Rent a virtual machine",
    operations: ["createVirtualMachineRental", "listVirtualMachineRentals", "getActiveRentalSummary"],
    flags: createFlags,
    confirms: "spending",
    view: oneRental,
    examples: [
      { text: "Rent one H100", command: rentOne },
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
];
