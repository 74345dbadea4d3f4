import type { CommandSpec } from "../spec.ts";

export const helpCommands: readonly CommandSpec[] = [
  {
    path: ["help"],
    summary: "Show help on a command or a topic",
    details: "`gpuctl help` alone lists the commands and the topics.",
    operations: [],
    needsNoConfig: true,
    positionals: [
      { name: "WORD", variadic: true, text: "A topic, or the words of a command such as: rentals create vm" },
    ],
    view: { kind: "lines", path: "text" },
    examples: [
      { text: "Help on a command", command: "gpuctl help rentals create vm" },
      { text: "What the exit codes mean", command: "gpuctl help exit-codes" },
    ],
    load: () => import("./help.ts"),
  },
];
