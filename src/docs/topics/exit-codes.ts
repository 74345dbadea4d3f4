import type { TopicSection } from "../../core/topics.ts";
import { exitCodes } from "../exit-codes.ts";

export const exitCodesTopic: readonly TopicSection[] = [
  {
    heading: "Codes",
    parts: [
      "Exit codes mean the same in every command, so scripts can rely on them.",
      { terms: exitCodes.map(([code, meaning]) => [String(code), meaning]) },
    ],
  },
  {
    heading: "In a script",
    parts: [
      "After exit code 9, run the same command again. Handle exit code 10 separately: the outcome is unknown, so check what exists before you run the command again. With a machine-readable format, the field retryable of the error says whether it is safe to run the command again.",
      { code: ['gpuctl rentals get 1001 --sandbox || echo "exit code $?"'] },
    ],
  },
];
