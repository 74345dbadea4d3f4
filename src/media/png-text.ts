import { createHash } from "node:crypto";
import { crc32, inflateSync } from "node:zlib";
import { decodeBase64 } from "./base64.ts";

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Bytes of a chunk besides its data: length and type before, checksum after. */
const CHUNK_OVERHEAD = 12;

export interface Chunk {
  /** Four letters. */
  readonly type: string;
  readonly data: Buffer;
  /** Offset of the chunk in the file. */
  readonly start: number;
  /** Verifies the checksum, on request only: pixel data is large. */
  isIntact(): boolean;
}

/** The complete chunks of a PNG, up to `IEND`; none for any other file. Never throws. */
export function* chunksOf(png: Uint8Array): Generator<Chunk, void> {
  const file = Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  if (!file.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return;
  let start = SIGNATURE.length;
  while (start + CHUNK_OVERHEAD <= file.length) {
    const end = start + CHUNK_OVERHEAD + file.readUInt32BE(start);
    if (end > file.length) return;
    const typeAndData = file.subarray(start + 4, end - 4);
    const type = typeAndData.toString("latin1", 0, 4);
    const checksum = file.readUInt32BE(end - 4);
    yield { type, data: typeAndData.subarray(4), start, isIntact: () => crc32(typeAndData) === checksum };
    if (type === "IEND") return;
    start = end;
  }
}

/** Encodes a chunk. */
export function chunk(type: string, data: Uint8Array): Buffer {
  const typeAndData = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const bytes = Buffer.alloc(typeAndData.length + 8);
  bytes.writeUInt32BE(data.length, 0);
  bytes.set(typeAndData, 4);
  bytes.writeUInt32BE(crc32(typeAndData), typeAndData.length + 4);
  return bytes;
}

const REQUEST_KEYWORD = "gpuctl";
/** Limits the memory that compressed text may take. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/** `tEXt` for printable Latin-1, otherwise `iTXt`. PNG text cannot contain NUL, which becomes U+FFFD. */
function textChunk(keyword: string, text: string, type?: "iTXt"): Buffer {
  const safe = text.replaceAll("\0", "\ufffd");
  if (type === undefined && /^[\t\n\r\x20-\x7e\xa0-\xff]*$/.test(safe)) {
    return chunk("tEXt", Buffer.from(`${keyword}\0${safe}`, "latin1"));
  }
  // After the keyword: no compression, method 0, no language, no translated keyword.
  return chunk("iTXt", Buffer.from(`${keyword}\0\0\0\0\0${safe}`, "utf8"));
}

/** SHA-256 of a base64 picture as `sha256:...`, which cannot be mistaken for base64. */
function fingerprint(image: string): string {
  if (image.startsWith("sha256:")) return image;
  let bytes: Uint8Array | string = image;
  try {
    bytes = decodeBase64(image);
  } catch {
    // Not base64: the text is hashed as it was sent.
  }
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/**
 * Adds two texts to a PNG: `parameters`, and the request as JSON with its base64 `image` replaced by a fingerprint.
 * All other chunks stay byte for byte. An incomplete PNG or another file is returned unchanged.
 */
export function addPngText(
  png: Uint8Array,
  texts: { parameters: string; request: Readonly<Record<string, unknown>> },
): Uint8Array {
  const end = [...chunksOf(png)].find(({ type }) => type === "IEND")?.start;
  if (end === undefined) return png;
  const { image } = texts.request;
  const request = typeof image === "string" ? { ...texts.request, image: fingerprint(image) } : texts.request;
  const added = [
    textChunk("parameters", texts.parameters),
    textChunk(REQUEST_KEYWORD, JSON.stringify(request), "iTXt"),
  ];
  return Buffer.concat([png.subarray(0, end), ...added, png.subarray(end)]);
}

/** The text after a chunk's keyword; `undefined` for other chunks and for text that cannot be decompressed. */
function textOf(type: string, rest: Buffer): string | undefined {
  if (type === "tEXt") return rest.toString("latin1");
  if (type !== "iTXt") return undefined;
  const language = rest.indexOf(0, 2);
  const translated = language < 0 ? -1 : rest.indexOf(0, language + 1);
  if (translated < 0) return undefined;
  const text = rest.subarray(translated + 1);
  try {
    const compressed = rest[0] !== 0;
    return (compressed ? inflateSync(text, { maxOutputLength: MAX_TEXT_BYTES }) : text).toString("utf8");
  } catch {
    return undefined;
  }
}

/** Keyword -> text of the intact `tEXt` and `iTXt` chunks; the last one of a keyword wins. Empty for other files. */
export function readPngText(png: Uint8Array): Record<string, string> {
  const texts = new Map<string, string>();
  for (const { type, data, isIntact } of chunksOf(png)) {
    if ((type !== "tEXt" && type !== "iTXt") || !isIntact()) continue;
    const keywordEnd = data.indexOf(0);
    const text = keywordEnd < 0 ? undefined : textOf(type, data.subarray(keywordEnd + 1));
    if (text !== undefined) texts.set(data.toString("latin1", 0, keywordEnd), text);
  }
  return Object.fromEntries(texts);
}

/**
 * The request stored in a picture by {@link addPngText}, as parsed JSON of unknown shape. Its `image` is `sha256:...`
 * and cannot be sent again. `undefined` when there is none.
 */
export function readRequest(png: Uint8Array): unknown {
  try {
    return JSON.parse(readPngText(png)[REQUEST_KEYWORD] ?? "");
  } catch {
    return undefined;
  }
}
