import type { Column, ListView, RecordView } from "../../output/view.ts";

const columns: readonly Column[] = [
  { title: "NAME", paths: ["name"] },
  { title: "IN USE", paths: ["inUse"], format: "yes-no" },
  { title: "KIND", paths: ["kind"] },
  { title: "BASE URL", paths: ["baseUrl"] },
  { title: "INFERENCE", paths: ["inferenceBaseUrl"] },
  { title: "KEY", paths: ["key"] },
  { title: "KEY FROM", paths: ["keySource"] },
];

export const allProfiles: ListView = {
  kind: "list",
  columns,
  empty: "No profiles: `gpuctl setup` makes one.",
  id: ["name"],
};

export const oneProfile: RecordView = { kind: "record", id: ["name"] };
