/** The service's base64 is empty or invalid: there are no bytes to save. */
export class UndecodableMedia extends Error {
  override readonly name = "UndecodableMedia";
}

const DATA_URL = /^\s*data:[^,]{0,200};base64,/i;
const NOT_BASE64 = /[^A-Za-z0-9+/_-]/;

/** The text without its padding, which is at most two `=`. */
function unpadded(text: string): string {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return padding === 0 ? text : text.slice(0, -padding);
}

/**
 * Decodes base64 text: standard or URL-safe alphabet, with or without padding, white space and a
 * `data:...;base64,` prefix.
 *
 * @throws {UndecodableMedia} when the text is empty, invalid or truncated. `Buffer.from` would skip invalid characters
 * and decode the rest.
 */
export function decodeBase64(text: string): Uint8Array {
  const prefix = DATA_URL.exec(text)?.[0] ?? "";
  const body = text.slice(prefix.length);
  let symbols = unpadded(body);
  // White space is rare and pictures are large: the text is copied only where the scan fails.
  const spaced = NOT_BASE64.test(symbols);
  const compact = spaced ? body.replace(/\s+/g, "") : body;
  if (spaced) {
    symbols = unpadded(compact);
    if (NOT_BASE64.test(symbols)) throw new UndecodableMedia("it contains characters that are not base64");
  }
  if (symbols === "") throw new UndecodableMedia("it is empty");
  const excessPadding = compact.length > symbols.length && compact.length > Math.ceil(symbols.length / 4) * 4;
  if (symbols.length % 4 === 1 || excessPadding) {
    throw new UndecodableMedia("its length is not valid for base64");
  }

  const bytes = new Uint8Array(Math.floor((symbols.length * 3) / 4));
  Buffer.from(bytes.buffer).write(symbols, "base64");
  return bytes;
}
