import { defineCommand } from "../../../command-kit/define.ts";
import { flag } from "../../../command-kit/flag.ts";
import { oneRental } from "../views.ts";
import {
  checkCreateFlags,
  createFlags,
  createRentals,
  endDetails,
  rentalQuestion,
  withinBurnOfProfile,
} from "./create.ts";

export default defineCommand({
  path: "rentals create bare-metal",
  summary: "Rent bare-metal machines",
  details: endDetails,
  operation: "createBareMetalRental",
  alsoCalls: ["listBareMetalRentals", "getActiveRentalSummary"],
  // The field is an object without a flag of its own. The flags below set its members; --storage-volume sets its ID.
  fieldsWithoutFlag: ["storageVolume"],
  flags: {
    storageVolume: flag.id("Existing storage volume to attach", {
      completes: "volume",
      setsFields: ["storageVolume.id", "storageVolume.isNew"],
      conflictsWith: ["newVolume", "newVolumeSize"],
    }),
    newVolume: flag.text("Label of a new storage volume to attach; requires --new-volume-size", {
      value: "LABEL",
      setsFields: ["storageVolume.label"],
    }),
    newVolumeSize: flag.number("Size of the new volume", {
      value: "GB",
      setsFields: ["storageVolume.sizeInGb"],
    }),
    ...createFlags,
  },
  buildInput: ({ input, flags }) => {
    checkCreateFlags(input, flags);
    const { storageVolume: id, newVolume: label, newVolumeSize: sizeInGb } = flags;
    if (id !== undefined) return { ...input, storageVolume: { isNew: false, id } };
    if (label === undefined && sizeInGb === undefined) return input;
    return { ...input, storageVolume: { isNew: true, label, sizeInGb } };
  },
  offers: async (given) => (await import("./offers.ts")).rentalOffers("bare-metal", given),
  alsoAsks: ["sshPublicKeyIds"],
  withinLimits: (given, send) => withinBurnOfProfile("bare-metal", given, send),
  confirm: { spending: (given) => rentalQuestion("bare-metal", given) },
  view: oneRental,
  examples: [
    {
      text: "Rent a machine with 8 H100 GPUs and InfiniBand",
      command: "gpuctl rentals create bare-metal --gpus 8 --network-type infiniband --sandbox --yes",
    },
    {
      text: "Rent a machine with a new storage volume of 1 TB",
      command:
        "gpuctl rentals create bare-metal --gpus 8 --network-type ethernet --new-volume training-data --new-volume-size 1024 --sandbox --yes",
    },
  ],
  run: (given) => createRentals("bare-metal", given),
});
