import type { CommandSpec } from "../spec.ts";

export const doctorCommands: readonly CommandSpec[] = [
  {
    path: ["doctor"],
    summary: "Check the installation, and say what to do",
    details: "It changes nothing, sends no more than three reads, and exits 0 only when nothing fails.",
    operations: [],
    needsNoConfig: true,
    view: {
      kind: "list",
      columns: [
        { title: "CHECK", paths: ["check"] },
        { title: "STATUS", paths: ["status"] },
        { title: "MESSAGE", paths: ["message"] },
        { title: "ADVICE", paths: ["advice"] },
      ],
      empty: "Nothing was checked.",
      id: ["check"],
    },
    examples: [
      { text: "Check everything but the service", command: "gpuctl doctor --sandbox" },
      { text: "For a script", command: "gpuctl doctor --sandbox -o json" },
    ],
    load: () => import("./doctor.ts"),
  },
];
