/** A reference picture that is not base64 of a PNG, JPEG or WebP, or is cut, broken or too large. */
export class UnreadableReference extends Error {
  override readonly name = "UnreadableReference";
}
