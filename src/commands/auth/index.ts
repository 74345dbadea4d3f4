import type { CommandSpec } from "../spec.ts";

export const authCommands: readonly CommandSpec[] = [
  {
    path: ["auth", "login"],
    summary: "Keep an API key, and where it is used, in a profile",
    details: "The key is asked for unseen, or read from stdin; it never stands on a command line.",
    operations: [],
    flags: [{ names: ["with-token"], text: "Read the key from stdin" }],
    view: { kind: "record", id: [] },
    examples: [
      {
        text: "Keep a key for a service; asks for the key",
        command: "gpuctl auth login --base-url https://api.example.com",
      },
      {
        text: "From a script",
        command: "printenv API_KEY | gpuctl auth login --with-token --base-url https://api.example.com",
      },
    ],
    load: () => import("./login.ts"),
  },
  {
    path: ["auth", "logout"],
    summary: "Forget the API key of a profile",
    operations: [],
    view: { kind: "record", id: [] },
    examples: [
      { text: "Forget the key of the profile in use", command: "gpuctl auth logout" },
      {
        text: "Of another profile",
        command: "gpuctl auth logout --profile work",
        after: [
          "printenv API_KEY | gpuctl auth login --with-token --profile work --base-url https://api.example.com",
        ],
      },
    ],
    load: () => import("./logout.ts"),
  },
  {
    path: ["auth", "status"],
    summary: "Say which key is used, where it comes from, and whether the service accepts it",
    operations: ["getActiveRentalSummary"],
    view: { kind: "record", id: [] },
    examples: [
      { text: "Check the key", command: "gpuctl auth status --sandbox" },
      { text: "For a script", command: "gpuctl auth status -o json --sandbox" },
    ],
    load: () => import("./status.ts"),
  },
];
