const mib = 1024 * 1024;

/** The most bytes that are read from a file or from stdin for one input. */
export const inputLimits = { text: 16 * mib, bytes: 64 * mib } as const;

/** What an input is read as. */
export type InputKind = keyof typeof inputLimits;

/** A limit for people, such as `16 MiB`. */
export const limitText = (bytes: number): string => `${bytes / mib} MiB`;
