import type { TopicSection } from "../../core/topics.ts";
import { exitCodes } from "../exit-codes.ts";

export const exitCodesTopic: readonly TopicSection[] = [
  {
    heading: "Codes",
    parts: [
      "A code means the same in every command, so that a script can act on it.",
      { terms: exitCodes.map(([code, meaning]) => [String(code), meaning]) },
    ],
  },
  {
    heading: "In a script",
    parts: [
      "After 9 the same command may be run again as it is. After 10 nobody knows what happened: see what is there before you run it again. With a machine format the error document says which it is, as retryable.",
      { code: ['gpuctl rentals get 1001 --sandbox || echo "exit code $?"'] },
    ],
  },
];
