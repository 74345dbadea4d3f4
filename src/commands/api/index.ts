import type { CommandSpec } from "../spec.ts";

export const apiCommands: readonly CommandSpec[] = [
  {
    path: ["api", "spec"],
    summary: "Print the service's own OpenAPI description",
    details: "Needs no key. The description lists the operations that the serving environment has enabled.",
    operations: ["getOpenApiDocument"],
    view: { kind: "document" },
    examples: [
      { text: "Print the description", command: "gpuctl api spec --sandbox" },
      { text: "Keep it in a file", command: "gpuctl api spec --sandbox > openapi.json" },
    ],
    load: () => import("./spec.ts"),
  },
];
