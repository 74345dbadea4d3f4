import { createHash } from "node:crypto";
import { inflateSync } from "node:zlib";
import { decodeBase64 } from "./base64.ts";
import { chunk, chunksOf } from "./png-chunks.ts";

const REQUEST_KEYWORD = "gpuctl";
/** Text that unpacks to more is no text of a picture. */
const LONGEST_TEXT = 16 * 1024 * 1024;

/** `tEXt` where the text is printable latin-1, else `iTXt`. PNG text ends at a NUL, so one is written as U+FFFD. */
function textChunk(keyword: string, text: string, type?: "iTXt"): Buffer {
  const safe = text.replaceAll("\0", "\ufffd");
  if (type === undefined && /^[\t\n\r\x20-\x7e\xa0-\xff]*$/.test(safe)) {
    return chunk("tEXt", Buffer.from(`${keyword}\0${safe}`, "latin1"));
  }
  // After the keyword: not compressed, method 0, no language, no translated keyword.
  return chunk("iTXt", Buffer.from(`${keyword}\0\0\0\0\0${safe}`, "utf8"));
}

/** The SHA-256 of the picture behind the base64, as `sha256:...`, which no decoder takes for base64. */
function fingerprint(image: string): string {
  if (image.startsWith("sha256:")) return image;
  let bytes: Uint8Array | string = image;
  try {
    bytes = decodeBase64(image);
  } catch {
    // Not base64 after all: the text itself is what was sent.
  }
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/**
 * The PNG with two texts before its end: `parameters`, and the whole request as JSON, whose base64 `image` is
 * replaced by its fingerprint. Pixels and every other chunk stay byte for byte. Bytes that are no whole PNG
 * come back as they are: a text is never worth a picture.
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

function unpacked(data: Buffer): string {
  return inflateSync(data, { maxOutputLength: LONGEST_TEXT }).toString();
}

/** The text behind the keyword of a chunk; `undefined` when it is no text or cannot be unpacked. */
function textOf(type: string, rest: Buffer): string | undefined {
  if (type === "tEXt") return rest.toString("latin1");
  if (type !== "iTXt") return undefined;
  const language = rest.indexOf(0, 2);
  const translated = language < 0 ? -1 : rest.indexOf(0, language + 1);
  if (translated < 0) return undefined;
  const text = rest.subarray(translated + 1);
  try {
    return rest[0] === 0 ? text.toString("utf8") : unpacked(text);
  } catch {
    return undefined;
  }
}

/** Keyword -> text of the `tEXt` and `iTXt` chunks that are intact, the last of a keyword; empty for anything but a PNG. */
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
 * The request that a picture of ours was made by, as parsed JSON of unknown shape; its `image`, when it had
 * one, is `sha256:...` and cannot be sent again. `undefined` when the PNG carries none.
 */
export function readRequest(png: Uint8Array): unknown {
  try {
    return JSON.parse(readPngText(png)[REQUEST_KEYWORD] ?? "");
  } catch {
    return undefined;
  }
}
