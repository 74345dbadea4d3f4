import type { CommandSpec } from "../spec.ts";

export const doctorCommands: readonly CommandSpec[] = [
  {
    path: ["doctor"],
    summary: "Check the installation, and say what to do",
    details:
      "Looks at Node.js, the configuration, the way to the service, the key, the clock, the terminal, the sandbox and the programs that gpuctl runs. It changes nothing, and exits 0 only when nothing fails.",
    operations: ["getOpenApiDocument", "getActiveRentalSummary"],
    examines: true,
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
