/** A template of file names holds a placeholder that does not exist, or a brace that is not closed. */
export class BadTemplate extends Error {
  override readonly name = "BadTemplate";
  /** As the user typed it, braces included. */
  readonly placeholder: string;
  /** The names that exist, without braces. */
  readonly known: readonly string[];

  constructor(placeholder: string, known: readonly string[]) {
    const choices = known.map((name) => `{${name}}`).join(" ");
    super(`unknown placeholder ${placeholder} in the file name: there are ${choices}`);
    this.placeholder = placeholder;
    this.known = known;
  }
}
