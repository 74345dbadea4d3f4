/** Milliseconds for one try when nobody says otherwise, by the host of the operation. */
export const usualTimeout = { compute: 30_000, inference: 300_000 } as const;

/** Tries of a read after the first one when nobody says otherwise. */
export const usualRetries = 3;
