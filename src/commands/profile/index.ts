import type { CommandSpec, Positional } from "../spec.ts";
import { allProfiles, oneProfile } from "./views.ts";

const named: Positional = {
  name: "NAME",
  required: true,
  text: "Name of the profile",
  completes: "profile",
};
const play = "gpuctl profile add play --sandbox";
const work = "gpuctl profile add work --base-url https://api.example.com --key-command 'pass show gpuctl'";

export const profileCommands: readonly CommandSpec[] = [
  {
    path: ["profile", "list"],
    summary: "List the profiles, the one in use marked",
    operations: [],
    view: allProfiles,
    examples: [
      { text: "List them", command: "gpuctl profile list", after: [play, work] },
      { text: "Just the names", command: "gpuctl profile list -o id", after: [play] },
    ],
    load: () => import("./list.ts"),
  },
  {
    path: ["profile", "show"],
    summary: "Show a profile: what it keeps, and where its key comes from",
    operations: [],
    positionals: [{ ...named, required: false, text: "Name of the profile; the one in use when left out" }],
    view: oneProfile,
    examples: [
      { text: "Show the one in use", command: "gpuctl profile show", after: [play] },
      { text: "Another one, as JSON", command: "gpuctl profile show work -o json", after: [play, work] },
    ],
    load: () => import("./show.ts"),
  },
  {
    path: ["profile", "add"],
    summary: "Make a profile: an account or the sandbox",
    details: "--base-url and --inference-base-url say where an account is, --sandbox that it is none.",
    operations: [],
    positionals: [{ name: "NAME", required: true, text: "Name: letters, digits, -, _ and ." }],
    flags: [
      { names: ["key-command"], value: "COMMAND", text: "Command line of a program that prints the API key" },
    ],
    view: oneProfile,
    examples: [
      { text: "One for the sandbox", command: play },
      { text: "An account whose key is with a password manager", command: work },
    ],
    load: () => import("./add.ts"),
  },
  {
    path: ["profile", "use"],
    summary: "Use a profile from now on",
    operations: [],
    positionals: [named],
    view: oneProfile,
    examples: [
      { text: "Use the sandbox", command: "gpuctl profile use play", after: [work, play] },
      { text: "Without a word on stderr", command: "gpuctl profile use work -q", after: [play, work] },
    ],
    load: () => import("./use.ts"),
  },
  {
    path: ["profile", "remove"],
    summary: "Remove a profile with its key",
    operations: [],
    positionals: [named],
    confirms: "destruction",
    view: { kind: "record", id: ["removed"] },
    examples: [
      { text: "Remove one", command: "gpuctl profile remove play --yes", after: [play] },
      { text: "As JSON", command: "gpuctl profile remove work --yes -o json", after: [play, work] },
    ],
    load: () => import("./remove.ts"),
  },
];
