const mib = 1024 * 1024;

/** The most bytes that are read from a file or from stdin for one input. */
export const inputLimits = { text: 16 * mib, bytes: 64 * mib } as const;

/** What an input is read as. */
export type InputKind = keyof typeof inputLimits;

/** A file or stdin has more than `maxBytes`. A `UsageError` that names the flag replaces it. */
export class InputTooLarge extends Error {
  override readonly name = "InputTooLarge";
  constructor(maxBytes: number) {
    super(`it is larger than ${sizeText(maxBytes)}`);
  }
}

/** Such as `64 MiB`. */
export const sizeText = (bytes: number): string => `${bytes / mib} MiB`;
