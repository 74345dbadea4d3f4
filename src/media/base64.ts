import { UndecodableMedia } from "./undecodable-media.ts";

const DATA_URL = /^\s*data:[^,]{0,200};base64,/i;
const FOREIGN = /[^A-Za-z0-9+/_-]/;

/** The text without its closing `=` signs, of which base64 has two at most. */
function unpadded(text: string): string {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return padding === 0 ? text : text.slice(0, -padding);
}

/**
 * The bytes behind base64 text: standard or URL-safe alphabet, with or without padding, white space and a
 * `data:...;base64,` prefix.
 *
 * @throws {UndecodableMedia} when nothing is there, or anything but base64 is: a text with errors in it, or
 * one whose length shows that its end is missing, is never decoded in part.
 */
export function decodeBase64(text: string): Uint8Array {
  const prefix = DATA_URL.exec(text)?.[0] ?? "";
  const body = text.slice(prefix.length);
  let symbols = unpadded(body);
  // White space is rare and pictures are large: only a text that fails the scan is copied without it.
  const spaced = FOREIGN.test(symbols);
  const compact = spaced ? body.replace(/\s+/g, "") : body;
  if (spaced) {
    symbols = unpadded(compact);
    if (FOREIGN.test(symbols)) throw new UndecodableMedia("it holds characters that are not base64");
  }
  if (symbols === "") throw new UndecodableMedia("it is empty");
  const tooMuchPadding =
    compact.length > symbols.length && compact.length > Math.ceil(symbols.length / 4) * 4;
  if (symbols.length % 4 === 1 || tooMuchPadding)
    throw new UndecodableMedia("its length is not one of base64");

  const bytes = new Uint8Array(Math.floor((symbols.length * 3) / 4));
  Buffer.from(bytes.buffer).write(symbols, "base64");
  return bytes;
}
