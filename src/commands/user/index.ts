import type { CommandSpec } from "../spec.ts";

export const userCommands: readonly CommandSpec[] = [
  {
    path: ["user", "update"],
    summary: "Change the current user",
    operations: ["updateCurrentUser", "updateCurrentUserLegacy"],
    view: { kind: "record", id: ["user.id"] },
    examples: [
      { text: "Change the name", command: 'gpuctl user update --name "Ada Lovelace" --sandbox' },
      {
        text: "Say what the account is for",
        command: "gpuctl user update --onboarded-for research -o json --sandbox",
      },
    ],
    load: () => import("./update.ts"),
  },
  {
    path: ["user", "delete"],
    summary: "Delete the current user",
    operations: ["deleteCurrentUser", "deleteCurrentUserLegacy"],
    confirms: "destruction",
    view: { kind: "record", id: [] },
    examples: [
      { text: "Delete the account without being asked", command: "gpuctl user delete --yes --sandbox" },
      { text: "Show what would be sent", command: "gpuctl user delete --dry-run --sandbox" },
    ],
    load: () => import("./delete.ts"),
  },
];
