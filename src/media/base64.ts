import { EmptyResult } from "../core/errors.ts";

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
 * @throws {EmptyResult} when the text is empty, invalid or truncated. `Buffer.from` would skip invalid characters and
 * decode the rest.
 */
export function decodeBase64(text: string): Uint8Array {
  const body = text.slice(DATA_URL.exec(text)?.[0].length ?? 0);
  // White space is rare and pictures are large: the text is copied only if the scan fails.
  const scanFailed = NOT_BASE64.test(unpadded(body));
  const compact = scanFailed ? body.replace(/\s+/g, "") : body;
  const symbols = unpadded(compact);
  if (scanFailed && NOT_BASE64.test(symbols)) throw undecodable("it contains characters that are not base64");
  if (symbols === "") throw undecodable("it is empty");
  const excessPadding = compact.length > symbols.length && compact.length > Math.ceil(symbols.length / 4) * 4;
  if (symbols.length % 4 === 1 || excessPadding) throw undecodable("its length is not valid for base64");

  const bytes = new Uint8Array(Math.floor((symbols.length * 3) / 4));
  Buffer.from(bytes.buffer).write(symbols, "base64");
  return bytes;
}

const undecodable = (reason: string) => new EmptyResult(`the response cannot be decoded: ${reason}`);
