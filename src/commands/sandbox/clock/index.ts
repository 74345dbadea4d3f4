import type { View } from "../../../output/view.ts";
import type { CommandSpec } from "../../spec.ts";

const view: View = { kind: "record", id: ["now"] };

export const clockCommands: readonly CommandSpec[] = [
  {
    path: ["sandbox", "clock", "show"],
    summary: "Show the sandbox's time",
    operations: [],
    view,
    examples: [
      { text: "What time it is", command: "gpuctl sandbox clock show" },
      { text: "Just the time", command: "gpuctl sandbox clock show -o id" },
    ],
    load: () => import("./show.ts"),
  },
  {
    path: ["sandbox", "clock", "freeze"],
    summary: "Stop the sandbox's clock where it is",
    details:
      "The same commands then give the same answers. Nothing boots, bills or expires until the clock moves.",
    operations: [],
    view,
    examples: [
      { text: "Stop the clock", command: "gpuctl sandbox clock freeze" },
      { text: "Stop it, and keep the time", command: "gpuctl sandbox clock freeze -o id" },
    ],
    load: () => import("./freeze.ts"),
  },
  {
    path: ["sandbox", "clock", "advance"],
    summary: "Let time pass in the sandbox",
    details: "What was to happen in that time has happened then, each at its own moment.",
    operations: [],
    positionals: [{ name: "DURATION", text: "How long, such as 30d, 12h or 1h30m", required: true }],
    view,
    examples: [
      { text: "Past a term of 30 days", command: "gpuctl sandbox clock advance 30d" },
      { text: "Until a machine has booted", command: "gpuctl sandbox clock advance 5s -o json" },
    ],
    load: () => import("./advance.ts"),
  },
  {
    path: ["sandbox", "clock", "set"],
    summary: "Go to a time that lies ahead",
    operations: [],
    positionals: [{ name: "TIME", text: "ISO 8601, UTC when it names no offset", required: true }],
    view,
    examples: [
      { text: "Go to a day", command: "gpuctl sandbox clock set 2038-01-01" },
      { text: "Go to a moment", command: "gpuctl sandbox clock set 2038-01-01T00:00:00+01:00 -o json" },
    ],
    load: () => import("./set.ts"),
  },
  {
    path: ["sandbox", "clock", "resume"],
    summary: "Let the sandbox's clock run on from where it is",
    operations: [],
    view,
    examples: [
      { text: "Run on", command: "gpuctl sandbox clock resume" },
      {
        text: "After it was stopped",
        command: "gpuctl sandbox clock resume -o json",
        after: ["gpuctl sandbox clock freeze"],
      },
    ],
    load: () => import("./resume.ts"),
  },
];
