import type { CommandSpec } from "../spec.ts";

export const authCommands: readonly CommandSpec[] = [
  {
    path: ["auth", "login"],
    summary: "Keep an API key, and where it is used, in a profile",
    details:
      "The key is asked for unseen, read from stdin or printed by a program; no command line holds it.",
    operations: [],
    flags: [
      { names: ["with-token"], text: "Read the key from stdin" },
      {
        names: ["key-command"],
        value: "COMMAND",
        text: "Keep a command line that prints the key, in place of the key",
      },
    ],
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
      {
        text: "Leave the key with a password manager",
        command: "gpuctl auth login --key-command 'pass show gpuctl' --base-url https://api.example.com",
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
  {
    path: ["auth", "token"],
    summary: "Print the API key in use",
    details: "For programs that want it; take care where it ends up.",
    operations: [],
    view: { kind: "lines", path: "token" },
    examples: [
      { text: "Print the key", command: "gpuctl auth token --sandbox" },
      { text: "Into a file", command: "gpuctl auth token --sandbox > key.txt" },
    ],
    load: () => import("./token.ts"),
  },
];
