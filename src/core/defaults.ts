/** Milliseconds for one attempt, by the host of the operation. */
export const defaultTimeout = { compute: 30_000, inference: 300_000 } as const;

/** Milliseconds for the service's description, for commands that need it but should not wait long. */
export const descriptionTimeout = 2_500;

/** Retries of a read. */
export const defaultRetries = 3;
