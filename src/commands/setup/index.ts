import { oneProfile } from "../profile/views.ts";
import type { CommandSpec } from "../spec.ts";

export const setupCommands: readonly CommandSpec[] = [
  {
    path: ["setup"],
    summary: "Set gpuctl up, step by step",
    details: "Every answer is tried and kept in a profile. Run again, it shows what is there and goes on.",
    operations: [],
    view: oneProfile,
    examples: [
      { text: "Set up the profile in use, or the first one", command: "gpuctl setup" },
      { text: "Set up another one", command: "gpuctl setup --profile play" },
    ],
    load: () => import("./setup.ts"),
  },
];
