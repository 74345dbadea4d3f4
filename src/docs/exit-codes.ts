/** What each exit code tells a script. A code means the same in every command. */
export const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [0, "Done"],
  [1, "A fault of gpuctl itself, or one that `gpuctl doctor` found"],
  [
    2,
    "A value is bad or missing, or needs an answer and nobody can be asked, and nothing was sent; or a file cannot be saved",
  ],
  [3, "No API key, no base URL, or the service does not accept the key (401)"],
  [4, "The key lacks access (403)"],
  [5, "Not found: 404, or a look-up that found nothing"],
  [6, "The service refused the request as invalid (400, 409, 422)"],
  [7, "The service failed on a read (5xx), or its answer cannot be used"],
  [8, "A wait ran out of time, or a rental is not ready to be reached yet"],
  [9, "The network failed, or time-outs or 429 outlasted the retries: safe to try again"],
  [
    10,
    "A request that creates, spends or deletes was sent and its outcome is unknown: look before trying again",
  ],
  [11, "A spending limit of yours said no. Nothing was sent"],
  [130, "Interrupted, or a confirmation was declined"],
];
