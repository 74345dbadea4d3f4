/** The package of a built-in engine, an optional dependency, is not installed. */
export class MissingEngine extends Error {
  override readonly name = "MissingEngine";

  constructor(packageName: string) {
    super(`The package ${packageName} is not installed: npm install ${packageName}`);
  }
}

/** A text without a word that the built-in voice, an English one, could say. */
export class NothingToSay extends Error {
  override readonly name = "NothingToSay";
}
