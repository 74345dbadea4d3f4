import type { CommandSpec } from "../spec.ts";
import { rental, rentOne, usualInterval, waitTimeout } from "./flags.ts";
import { oneRental } from "./views.ts";

/** Commands that bring a caller to a rental that starts. */
export const reachCommands: readonly CommandSpec[] = [
  {
    path: ["rentals", "wait"],
    summary: "Wait until a rental runs or has ended",
    operations: ["getRental"],
    positionals: [rental],
    withoutFlag: ["rentalId"],
    flags: [
      {
        names: ["for"],
        value: "STATE",
        choices: ["running", "active", "terminated"],
        text: "What to wait for",
        default: "running",
      },
      { names: ["interval"], value: "DURATION", text: "Time between two looks", default: usualInterval },
      waitTimeout,
    ],
    view: oneRental,
    examples: [
      {
        text: "Wait until a machine can be reached",
        command: "gpuctl rentals wait 1001 --for running --interval 1s --sandbox",
        after: [rentOne],
      },
      {
        text: "At most ten minutes",
        command: "gpuctl rentals wait 1001 --for active --wait-timeout 10m --sandbox",
        after: [rentOne],
      },
    ],
    load: () => import("./wait.ts"),
  },
  {
    path: ["rentals", "ssh"],
    summary: "Open a shell on a rental, or run a command there",
    details: "Runs the system's ssh and ends as it ends; with -o json it prints where ssh would go instead.",
    operations: ["getRental"],
    positionals: [
      rental,
      {
        name: "ARGS",
        variadic: true,
        text: "After --: options of ssh, then the command to run there, passed on as they are",
      },
    ],
    withoutFlag: ["rentalId"],
    flags: [
      {
        names: ["node"],
        value: "N",
        text: "Which machine of several, counted from 1; the first when left out",
      },
      { names: ["print"], text: "Print the command line instead of running it" },
      { names: ["wait"], text: "Wait until the rental can be reached" },
      waitTimeout,
    ],
    view: { kind: "lines", path: "command" },
    examples: [
      {
        text: "Print the command line that opens a shell on a rental",
        command: "gpuctl rentals ssh 1001 --wait --print --sandbox",
        after: [rentOne],
      },
      {
        text: "Show what would be done to run a command there",
        command: "gpuctl rentals ssh 1001 --dry-run --sandbox -- nvidia-smi -L",
        after: [rentOne],
      },
    ],
    load: () => import("./ssh.ts"),
  },
];
