import type { Column, ListView } from "../../output/view.ts";
import type { CommandSpec } from "../spec.ts";

const columns: readonly Column[] = [
  { title: "ID", paths: ["id"] },
  { title: "LABEL", paths: ["label", "name"] },
  { title: "SIZE GB", paths: ["sizeInGb"], format: "number" },
  { title: "REGION", paths: ["region"] },
  { title: "RENTALS", paths: ["rentalIds", "attachedRentalIds"], format: "list" },
  { title: "CREATED", paths: ["createdAt"], format: "time" },
];
const id = ["id", "storageVolumeId"];
const volumes: ListView = { kind: "list", columns, empty: "No storage volumes.", id };

const create =
  "gpuctl volumes create --region us-central-1 --label training-data --size-in-gb 1024 --sandbox";
const machine = "gpuctl rentals create bare-metal --gpus 8 --network-type ethernet --sandbox --yes";

export const volumeCommands: readonly CommandSpec[] = [
  {
    path: ["volumes", "create"],
    summary: "Create a storage volume",
    operations: ["createStorageVolume", "listStorageVolumes"],
    view: { kind: "record", columns, id },
    examples: [
      { text: "One terabyte in us-central-1", command: create },
      {
        text: "Attached to a bare-metal rental from the start",
        command: `${create} --rental-ids 1001`,
        after: [machine],
      },
    ],
    load: () => import("./create.ts"),
  },
  {
    path: ["volumes", "list"],
    summary: "List the storage volumes",
    operations: ["listStorageVolumes"],
    view: volumes,
    examples: [
      { text: "List all volumes", command: "gpuctl volumes list --sandbox", after: [create] },
      { text: "Just their ids", command: "gpuctl volumes list -o id --sandbox", after: [create] },
    ],
    load: () => import("./list.ts"),
  },
  {
    path: ["volumes", "attach"],
    summary: "Attach a storage volume to bare-metal rentals",
    operations: ["attachStorageVolume", "listStorageVolumes"],
    positionals: [
      {
        name: "VOLUME",
        field: "storageVolumeId",
        required: true,
        text: "Id of the volume",
        completes: "volume",
      },
      {
        name: "RENTAL",
        field: "rentalIds",
        required: true,
        variadic: true,
        text: "Ids of bare-metal rentals",
        completes: "rental",
      },
    ],
    withoutFlag: ["storageVolumeId", "rentalIds"],
    view: { kind: "record", id },
    examples: [
      {
        text: "Attach a volume to one rental",
        command: "gpuctl volumes attach 501 1001 --sandbox",
        after: [create, machine],
      },
      {
        text: "To two rentals at once",
        command: "gpuctl volumes attach 501 1001 1002 --sandbox",
        after: [create, machine, machine],
      },
    ],
    load: () => import("./attach.ts"),
  },
];
