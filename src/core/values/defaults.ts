/** Time limit of one attempt in milliseconds, by the host of the operation. */
export const defaultTimeout = { compute: 30_000, inference: 300_000 } as const;

/** Time limit in milliseconds for fetching the service's description in commands that should not wait long. */
export const descriptionTimeout = 2_500;

/** Number of retries of a read request. */
export const defaultRetries = 3;

/** What the flag and the setting for retries do. */
export const retriesText =
  "How often a read is retried; with `image -n`, also each image after a 429 (too many requests)";
