import { defineCommand } from "../../command-kit/define.ts";

export default defineCommand({
  path: "sandbox limits",
  summary: "List what the service leaves open and the sandbox decided",
  uses: ["sandboxFacts"],
  view: {
    kind: "record",
    columns: [
      { title: "TOPIC", paths: ["id"] },
      { title: "IN THE SANDBOX", name: "text", paths: ["text"] },
    ],
    id: ["id"],
  },
  examples: [
    { text: "List them", command: "gpuctl sandbox limits" },
    { text: "As JSON", command: "gpuctl sandbox limits -o json" },
  ],
  run: async ({ sandboxFacts }) => ({ data: (await sandboxFacts()).limits }),
});
