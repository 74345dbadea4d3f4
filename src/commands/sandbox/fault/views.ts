import type { Column } from "../../../core/view.ts";

export const columns: readonly Column[] = [
  { title: "ID", paths: ["id"] },
  { title: "OPERATION", paths: ["operation"] },
  { title: "EFFECT", paths: ["effect"] },
  { title: "AFTER", paths: ["after"], format: "number" },
  { title: "TIMES", paths: ["times"], format: "number" },
  { title: "LEFT", paths: ["left"], format: "number" },
];
