/**
 * The nouns with their commands, in the order of help. The words of a command are the path of its file in this folder:
 * `create vm` of `rentals` is `rentals/create/vm.ts`. `npm run generate` builds the command tree from this list.
 */
export const nouns: readonly {
  name: string;
  summary: string;
  commands: readonly string[];
  /** The summaries of the groups below it, such as `lease` of `rentals`. */
  groups?: Readonly<Record<string, string>>;
}[] = [
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
      "run",
      "jobs list",
      "jobs logs",
      "jobs attach",
      "jobs cancel",
      "terminate",
      "lease list",
      "lease set",
      "lease extend",
      "lease clear",
      "guard",
    ],
    groups: {
      create: "Rent a virtual machine or bare metal",
      jobs: "Show, attach to and cancel jobs on rentals",
      lease: "Set when rentals should end",
    },
  },
  { name: "volumes", summary: "Manage storage volumes", commands: ["create", "list", "attach"] },
  {
    name: "reserve",
    summary: "Reserve rentals for a fixed term",
    commands: ["convert", "extend", "request"],
  },
  {
    name: "ssh-keys",
    summary: "Manage the SSH public keys of the account",
    commands: ["list", "add", "remove"],
  },
  { name: "user", summary: "Update or delete the current user", commands: ["update", "delete"] },
  {
    name: "billing",
    summary: "Show the balance, the usage and the invoices",
    commands: ["balance", "usage", "invoices"],
  },
  {
    name: "api-keys",
    summary: "List, create and revoke the account's API keys",
    commands: ["list", "create", "revoke"],
  },
  { name: "image", summary: "Generate images", commands: ["", "gallery", "models", "price"] },
  {
    name: "chat",
    summary: "Chat with a model",
    commands: [
      "",
      "models",
      "sessions list",
      "sessions show",
      "sessions search",
      "sessions export",
      "sessions remove",
    ],
    groups: { sessions: "List, show, search, export and remove chat sessions" },
  },
  { name: "tts", summary: "Convert text to speech", commands: [""] },
  { name: "mcp", summary: "Serve tools to agents by the Model Context Protocol", commands: [""] },
  {
    name: "batch",
    summary: "Run a file of chats, images and speech",
    commands: ["run", "retry", "merge", "status", "manifest"],
  },
  {
    name: "api",
    summary: "Call any operation of the service",
    commands: ["list", "describe", "call", "spec"],
  },
  {
    name: "auth",
    summary: "Log in and out: the API key stored on this machine",
    commands: ["login", "logout", "status", "token"],
  },
  {
    name: "profile",
    summary: "Manage profiles for accounts and the sandbox",
    commands: ["list", "show", "add", "use", "remove"],
  },
  {
    name: "config",
    summary: "Manage the settings of a profile",
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
      "engine set",
      "engine list",
      "engine clear",
      "boot add",
      "boot list",
      "boot clear",
      "chat script",
      "chat script show",
      "chat script clear",
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
    groups: {
      fault: "Make the sandbox fail on purpose",
      engine: "Generate with your own inference server",
      boot: "Make new rentals boot slowly or fail to boot",
      chat: "Script what the chat models reply",
      clock: "Show and control the sandbox's clock",
    },
  },
  { name: "completion", summary: "Print the completion script for a shell", commands: [""] },
  { name: "help", summary: "Show help for a command or topic", commands: [""] },
];
