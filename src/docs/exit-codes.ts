import type { TopicSection } from "../core/topics.ts";

/** The exit codes, which mean the same in every command. */
export const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [0, "Success"],
  [1, "An internal error in gpuctl, or a problem found by `gpuctl doctor`"],
  [
    2,
    "Invalid or missing input, or a prompt was needed when not running interactively (nothing was sent); or a file cannot be saved",
  ],
  [3, "No API key, no base URL, or the service rejected the key (401)"],
  [4, "The key lacks permission (403)"],
  [5, "Not found: a 404 response, or a name or id without a match"],
  [6, "The service rejected the request as invalid (400, 409, 422)"],
  [7, "The service failed on a read (5xx), or its response cannot be used"],
  [8, "A wait timed out, or a rental is not reachable yet"],
  [9, "A network error, a timeout or a rate limit (429) outlasted the retries. Safe to run again"],
  [
    10,
    "A request that creates, spends or deletes was sent, and its outcome is unknown. Check before you run it again",
  ],
  [11, "A spending limit that you set would be exceeded. Nothing was sent"],
  [130, "Interrupted, or a confirmation was declined"],
];

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
