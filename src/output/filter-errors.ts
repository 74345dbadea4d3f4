/** A jq filter that does not compile. */
export class BadFilter extends Error {
  override readonly name = "BadFilter";
}

/** A jq filter that compiles, but failed on what it was given. */
export class FilterFailed extends Error {
  override readonly name = "FilterFailed";
  readonly hint = "Only the filter failed: the request was answered, and would be sent once more.";
}
