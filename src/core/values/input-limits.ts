const mib = 1024 * 1024;

/**
 * The maximum number of bytes that are read from a file or from stdin for one input. `document` is also the limit for
 * the body of a request to the sandbox's controls.
 */
export const inputLimits = { text: 16 * mib, bytes: 64 * mib, document: 256 * mib } as const;

/** Whether an input is read as text, as bytes, or as a document for the sandbox, such as a seed or a snapshot. */
export type InputKind = keyof typeof inputLimits;

/** A file or stdin has more than `maxBytes`. The caller replaces this error with a `UsageError` that names the flag. */
export class InputTooLarge extends Error {
  override readonly name = "InputTooLarge";
  constructor(maxBytes: number) {
    super(`it is larger than ${sizeText(maxBytes)}`);
  }
}

/** Formats a size, such as `64 MiB`. */
export const sizeText = (bytes: number): string => `${bytes / mib} MiB`;
