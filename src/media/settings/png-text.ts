import { crc32, inflateSync } from "node:zlib";
import { chunkOverhead } from "../truncated.ts";
import { parametersText, requestJson, type Settings } from "./parameters.ts";

/** The keywords of the two texts. */
export const pngKeywords = { parameters: "parameters", request: "gpuctl" } as const;

/**
 * The chunks to insert before the end of a PNG: the settings as `parameters`, and the request as JSON with its base64
 * `image` replaced by a fingerprint.
 */
export const pngText = (request: Settings, version: string): Buffer =>
  Buffer.concat([
    textChunk(pngKeywords.parameters, parametersText(request, version)),
    textChunk(pngKeywords.request, requestJson(request), "iTXt"),
  ]);

/** Encodes a chunk. */
function chunk(type: string, data: Uint8Array): Buffer {
  const typeAndData = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const bytes = Buffer.alloc(typeAndData.length + 8);
  bytes.writeUInt32BE(data.length, 0);
  bytes.set(typeAndData, 4);
  bytes.writeUInt32BE(crc32(typeAndData), typeAndData.length + 4);
  return bytes;
}

/** `tEXt` for printable Latin-1, otherwise `iTXt`. PNG text cannot contain NUL, which becomes U+FFFD. */
function textChunk(keyword: string, text: string, type?: "iTXt"): Buffer {
  const safe = text.replaceAll("\0", "\ufffd");
  if (type === undefined && /^[\t\n\r\x20-\x7e\xa0-\xff]*$/.test(safe)) {
    return chunk("tEXt", Buffer.from(`${keyword}\0${safe}`, "latin1"));
  }
  // After the keyword: no compression, method 0, no language, no translated keyword.
  return chunk("iTXt", Buffer.from(`${keyword}\0\0\0\0\0${safe}`, "utf8"));
}

const textTypes: ReadonlySet<string> = new Set(["tEXt", "zTXt", "iTXt"]);
/** A text that is longer when decompressed is not read. */
const maxTextLength = 16 * 1024 * 1024;

/** The texts of a PNG by keyword; the first of each keyword counts. Never throws. */
export function readPngTexts(png: Buffer): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (let at = 8; at + chunkOverhead <= png.length; at += chunkOverhead + png.readUInt32BE(at)) {
    const type = png.toString("latin1", at + 4, at + 8);
    if (!textTypes.has(type)) continue;
    const data = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    const end = data.indexOf(0);
    if (end < 1) continue;
    const keyword = data.toString("latin1", 0, end);
    const text = textOf(type, data.subarray(end + 1));
    if (text !== undefined && !texts.has(keyword)) texts.set(keyword, text);
  }
  return texts;
}

/** The text after the keyword of a chunk. */
function textOf(type: string, data: Buffer): string | undefined {
  if (type === "tEXt") return data.toString("latin1");
  try {
    const inflated = (from: number) => inflateSync(data.subarray(from), { maxOutputLength: maxTextLength });
    if (type === "zTXt") return inflated(1).toString("latin1");
    const text = data.indexOf(0, data.indexOf(0, 2) + 1) + 1;
    return data[0] === 1 ? inflated(text).toString("utf8") : data.toString("utf8", text);
  } catch {
    return undefined;
  }
}
