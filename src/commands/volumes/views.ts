import type { Column } from "../../core/view.ts";

export const columns: readonly Column[] = [
  { title: "ID", paths: ["id"] },
  { title: "LABEL", paths: ["label", "name"] },
  { title: "SIZE GB", paths: ["sizeInGb"], format: "number" },
  { title: "REGION", paths: ["region"] },
  { title: "RENTALS", paths: ["rentalIds", "attachedRentalIds"], format: "list" },
  { title: "CREATED", paths: ["createdAt"], format: "time" },
];

export const id = ["id", "storageVolumeId"];
