/** The service's base64 is empty or not base64: there are no bytes to save. */
export class UndecodableMedia extends Error {
  override readonly name = "UndecodableMedia";
}
