/**
 * The nouns with their commands, in the order of help. The words of a command are the path of its file in this folder:
 * `create vm` of `rentals` is `rentals/create/vm.ts`. `npm run generate` builds the command tree from this list.
 */
export const nouns: readonly { name: string; summary: string; commands: readonly string[] }[] = [
  { name: "setup", summary: "Set up gpuctl step by step", commands: [""] },
  {
    name: "rentals",
    summary: "Rent GPUs: virtual machines and bare metal",
    commands: [
      "create vm",
      "create bare-metal",
      "list",
      "get",
      "history",
      "summary",
      "wait",
      "ssh",
      "terminate",
    ],
  },
  { name: "volumes", summary: "Manage storage volumes", commands: ["create", "list", "attach"] },
  {
    name: "reserve",
    summary: "Reserve rentals for a fixed term",
    commands: ["convert", "extend", "request"],
  },
  { name: "user", summary: "Update or delete the current user", commands: ["update", "delete"] },
  { name: "image", summary: "Generate pictures", commands: ["", "models", "price"] },
  { name: "chat", summary: "Chat with a model", commands: ["", "models"] },
  { name: "tts", summary: "Convert text to speech", commands: [""] },
  {
    name: "api",
    summary: "Call any operation of the service",
    commands: ["list", "describe", "call", "spec"],
  },
  { name: "auth", summary: "Manage API keys", commands: ["login", "logout", "status", "token"] },
  {
    name: "profile",
    summary: "Manage profiles for accounts and the sandbox",
    commands: ["list", "show", "add", "use", "remove"],
  },
  {
    name: "config",
    summary: "Manage the defaults of a profile",
    commands: ["get", "set", "unset", "list", "path"],
  },
  { name: "doctor", summary: "Check the installation and suggest fixes", commands: [""] },
  {
    name: "sandbox",
    summary: "Run and control the local sandbox",
    commands: [
      "serve",
      "status",
      "reset",
      "keys",
      "limits",
      "fault add",
      "fault list",
      "fault clear",
      "clock show",
      "clock freeze",
      "clock advance",
      "clock set",
      "clock resume",
      "seed",
      "snapshot",
      "restore",
      "requests",
    ],
  },
  { name: "completion", summary: "Print the completion script for a shell", commands: [""] },
  { name: "help", summary: "Show help for a command or topic", commands: [""] },
];
