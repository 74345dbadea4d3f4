const DATA_URL = /^\s*data:[^,]{0,200};base64,/i;
/** How many characters at the start of a text are held back until it is known whether it is a `data:` URL. */
const headLength = 512;
const SYMBOLS = /^[A-Za-z0-9+/_-]*$/;
const SYMBOLS_AND_PADDING = /^([A-Za-z0-9+/_-]*)(=*)$/;

export const isEmpty = "it is empty";
export const invalidCharacters = "it contains characters that are not base64";

/**
 * Decodes base64 text in parts: standard or URL-safe alphabet, with or without padding, white space and a
 * `data:...;base64,` prefix. The characters must be Latin-1: `Buffer.write` mistakes some others for base64.
 */
export class Base64Decoder {
  #head: string | undefined = "";
  #prefix = "";
  /** Up to three symbols that are not decoded yet. */
  #pending = "";
  #padding = "";
  #hasSymbols = false;

  /**
   * Decodes a part into a buffer. The buffer needs room for one byte per character of the part, plus `decoderSlack`
   * bytes. Returns the number of bytes, which is 0 while the start of the text is held back. If there are characters
   * that are not base64, decodes none of the part and returns undefined.
   */
  decode(part: string, into: Buffer, at: number): number | undefined {
    if (this.#head === undefined) return this.#decode(part, into, at);
    const head = this.#head + part;
    if (head.length < headLength) {
      this.#head = head;
      return 0;
    }
    const written = this.#decode(head.slice(this.#readPrefix(head)), into, at);
    if (written !== undefined) this.#head = undefined;
    return written;
  }

  /** Decodes the rest after the last part. Returns the number of bytes, or why the text is not base64. */
  end(into: Buffer, at: number): number | string {
    const head = this.#head;
    const written = head === undefined ? 0 : this.#decode(head.slice(this.#readPrefix(head)), into, at);
    if (written === undefined) return invalidCharacters;
    const [symbols, padding] = [this.#pending, this.#padding.length];
    if (padding > 2) return invalidCharacters;
    if (!this.#hasSymbols) return padding === 0 ? isEmpty : "its length is not valid for base64";
    if (symbols.length === 1 || padding > (4 - symbols.length) % 4) {
      return "its length is not valid for base64";
    }
    // Cleared only now: if a short input turns out not to be base64, `text()` must still return all of it.
    this.#head = undefined;
    // From now on, the decoded bytes include these symbols, so `text()` restores them and their padding from the bytes.
    this.#pending = "";
    this.#padding = "";
    return written + into.write(symbols, at + written, "base64");
  }

  /**
   * The text so far. Once decoding has begun, its symbols have no white space between them, and those that were decoded
   * are in the standard alphabet. `decoded` are the bytes decoded from it.
   */
  text(decoded: Buffer): string {
    return this.#head ?? this.#prefix + decoded.toString("base64") + this.#pending + this.#padding;
  }

  #readPrefix(head: string): number {
    this.#prefix = DATA_URL.exec(head)?.[0] ?? "";
    return this.#prefix.length;
  }

  #decode(part: string, into: Buffer, at: number): number | undefined {
    const fast = this.#padding === "" ? this.#decodeSymbols(part, into, at) : undefined;
    if (fast !== undefined) return fast;
    const compact = (this.#pending + this.#padding + part).replace(/\s+/g, "");
    const [, symbols, padding] = SYMBOLS_AND_PADDING.exec(compact) ?? [];
    if (symbols === undefined || padding === undefined) return undefined;
    const pending = this.#pending;
    this.#pending = "";
    const written = this.#decodeSymbols(symbols, into, at);
    if (written === undefined) this.#pending = pending;
    else this.#padding = padding;
    return written;
  }

  /** Decodes a part that contains only symbols. For any other part, keeps the state and returns undefined. */
  #decodeSymbols(part: string, into: Buffer, at: number): number | undefined {
    // The part is not joined to the pending symbols, because that would copy it.
    const lead = this.#pending === "" ? 0 : 4 - this.#pending.length;
    const length = Math.max(0, part.length - lead);
    const end = lead + length - (length % 4);
    const first = this.#pending + part.slice(0, lead);
    const rest = first.length < 4 && lead > 0 ? first : part.slice(end);
    const start = first.length === 4 ? into.write(first, at, "base64") : 0;
    const written = start + into.write(part.slice(lead, end), at + start, "base64");
    // `Buffer.write` skips characters that are not base64. If there was one, fewer bytes are written than expected.
    const expected = ((first.length === 4 ? 4 : 0) + end - lead) * 0.75;
    if (written !== expected || !SYMBOLS.test(rest)) return undefined;
    this.#pending = rest;
    this.#hasSymbols ||= part !== "";
    return written;
  }
}

/** How many bytes `decode` may write beyond one byte for each character of the part. */
export const decoderSlack = headLength;

/** The message for a result that is not base64. */
export const undecodable = (reason: string): string => `the response cannot be decoded: ${reason}`;
