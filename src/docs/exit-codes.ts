import type { TopicSection } from "../core/topics.ts";

/** The exit codes of gpuctl itself, which mean the same in every command. */
export const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [0, "Success"],
  [
    1,
    "An internal error; output that could not be written, or a file of a running batch that could not be read or written; a paid result that could not be stored (the error says what happened to it); a lease that could not be stored; a result that could not be copied from a rental; audio that could not be played; a --notify command that failed; or a problem found by `gpuctl doctor` or `gpuctl sandbox requests expect`",
  ],
  [
    2,
    "Invalid or missing input, or a prompt was needed without a terminal; also a file or the sandbox's state that cannot be used, a port that is not free, or a program that is not installed, such as ssh. Usually, nothing was changed. The exceptions are `batch run` and `tts`, if another program changes their files while they run; `chat sessions remove`, if it removed some sessions and then could not remove another; `setup`, if a later answer cannot be saved; and `rentals run`, if a program such as ssh cannot be started after the rental was created. What they did until then remains",
  ],
  [3, "No usable API key, no base URL, or the service rejected the key (401)"],
  [4, "The key does not have permission (403)"],
  [
    5,
    "Not found: a name or ID without a match, or an operation that the service does not offer (404, 405 or 410; for a read also 501)",
  ],
  [6, "The service rejected the request (400, 409, 422 and other 4xx, but not a timeout)"],
  [
    7,
    "The service failed on a read (5xx except 501); its response was too large, unusable or a redirect; an image or audio file is truncated; an answer does not match --schema; a rental failed or could not be used; or a --jq filter failed",
  ],
  [8, "A wait timed out, a rental is not reachable yet, or a limit stopped the command of `rentals run`"],
  [
    9,
    "A network error, a timeout or a rate limit (429), after any retries; a stream that ended early; or a batch with lines that have no result. Running the command again is safe, but an interrupted generation may have been charged, and a rental that was kept is still billed",
  ],
  [
    10,
    "A request that changes something was sent, and its outcome is unknown; or the rental of a job could not be ended and may still be billed. Check before you run the command again, unless the error says that running it again is safe",
  ],
  [
    11,
    "A spending limit that you set would be exceeded, or cannot be checked because a price is unknown. No request that spends was sent, except those that `batch run` sent before it reached the limit",
  ],
  [
    12,
    "Of several items, some failed, or all failed with different exit codes. The results of the items that succeeded are printed. If all items fail with the same exit code, gpuctl exits with that code. If any item was interrupted, gpuctl exits with 130. Otherwise, if the outcome of any item is unknown, gpuctl exits with 10. `batch run` and `batch merge` exit with 12 if lines failed or have an unknown outcome, unless they are interrupted or stopped by another error, such as a rejected key (3)",
  ],
  [130, "Interrupted, or a confirmation was declined"],
];

export const exitCodesTopic: readonly TopicSection[] = [
  {
    heading: "Codes",
    parts: [
      "Exit codes mean the same in every command, so scripts can rely on them. Only `rentals run`, `rentals jobs attach` and `rentals ssh` can also exit with the status of the program that they run.",
      { terms: exitCodes.map(([code, meaning]) => [String(code), meaning]) },
    ],
  },
  {
    heading: "In a script",
    parts: [
      "After exit code 9, you can run the same command again; an interrupted generation may have been charged, and a new one is charged, too. Handle exit code 10 separately: the outcome is unknown, so check what exists before you run the command again. With a machine-readable format, the retryable field of the error says whether running the command again may succeed without changing anything twice.",
      { code: ['gpuctl rentals get 1001 --sandbox || echo "exit code $?"'] },
    ],
  },
];
