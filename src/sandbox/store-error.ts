/** The file that keeps the sandbox's state cannot be used; the message names it and says why. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly file: string;

  constructor(file: string, reason: string, options?: ErrorOptions) {
    super(`Cannot use the sandbox's state in ${file}: ${reason}`, options);
    this.file = file;
  }
}
