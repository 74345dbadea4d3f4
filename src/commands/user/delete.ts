import { defineCommand } from "../../command-kit/define.ts";

export default defineCommand({
  path: "user delete",
  summary: "Delete the current user",
  operation: "deleteCurrentUser",
  alsoCalls: ["deleteCurrentUserLegacy"],
  confirm: {
    destruction: () => "Delete the current user? This cannot be undone.",
    typed: ({ settings }) => settings.profile,
  },
  view: { kind: "record", id: [] },
  examples: [
    { text: "Delete the account without confirmation", command: "gpuctl user delete --yes --sandbox" },
    { text: "Show what would be sent", command: "gpuctl user delete --dry-run --sandbox" },
  ],
  run: async ({ call }) => ({ data: await call("deleteCurrentUser", {}) }),
});
