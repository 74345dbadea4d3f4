import { defineCommand } from "../../command-kit/define.ts";

export default defineCommand({
  path: "sandbox limits",
  summary: "List the sandbox's assumptions where the API documentation is silent: prices, boot times, limits",
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
    { text: "List the assumptions", command: "gpuctl sandbox limits" },
    { text: "Print as JSON", command: "gpuctl sandbox limits -o json" },
  ],
  run: async ({ sandboxFacts }) => ({ data: await sandboxFacts.limits() }),
});
