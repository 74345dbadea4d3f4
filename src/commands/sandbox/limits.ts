import { defineCommand } from "../../command-kit/define.ts";

export default defineCommand({
  path: "sandbox limits",
  summary: "List the sandbox's choices where the API documentation leaves behavior open",
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
