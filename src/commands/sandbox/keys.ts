import { defineCommand } from "../../command-kit/define.ts";

export default defineCommand({
  path: "sandbox keys",
  summary: "Show the sandbox's own keys, for curl and SDKs",
  uses: ["sandboxFacts"],
  view: {
    kind: "list",
    columns: [
      { title: "ACCESS", paths: ["access"] },
      { title: "KEY", paths: ["key"] },
    ],
    empty: "No keys.",
    id: ["key"],
  },
  examples: [
    { text: "Show the keys", command: "gpuctl sandbox keys" },
    { text: "Print only the keys, one per line", command: "gpuctl sandbox keys -o id" },
  ],
  run: async ({ sandboxFacts }) => {
    const { full, readOnly } = await sandboxFacts.keys();
    return {
      data: [
        { access: "full", key: full },
        { access: "read-only", key: readOnly },
      ],
    };
  },
});
