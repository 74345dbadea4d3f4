import { defineCommand } from "../../command-kit/define.ts";

export default defineCommand({
  path: "auth token",
  summary: "Print the API key in use",
  details:
    "For use by other programs. Anyone who can read the output can use the key. All other commands show at most its last four characters, unless it is one of the sandbox's own keys.",
  uses: ["secrets"],
  printsKey: true,
  view: { kind: "lines", path: "token" },
  examples: [
    { text: "Print the key", command: "gpuctl auth token --sandbox" },
    { text: "Write the key to a file", command: "gpuctl auth token --sandbox > key.txt" },
  ],
  run: async ({ secrets }) => ({ data: { token: (await secrets.keyInUse()).key } }),
});
