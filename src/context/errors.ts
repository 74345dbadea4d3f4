/** Something of this machine that the tool needs is not there. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** A program of the user's ended with a failure, or not in time. */
export class ProgramFailed extends Error {
  override readonly name = "ProgramFailed";
}

/** The user said no, or pressed Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  constructor(message = "interrupted") {
    super(message);
  }
}
