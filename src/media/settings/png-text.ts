import { crc32, inflateSync } from "node:zlib";
import { stringifyExactly } from "../../core/values/exact-numbers.ts";
import { maxParts, type Read } from "../truncated.ts";
import { parametersText, type StoredSettings } from "./parameters.ts";

/** The keywords of the two texts that hold settings. */
export const pngKeywords = { parameters: "parameters", request: "gpuctl" } as const;

/** The chunks to insert before the end of a PNG: the settings as `parameters` text, and the whole request as JSON. */
export const pngText = (request: StoredSettings, version: string): Buffer =>
  Buffer.concat([
    textChunk(pngKeywords.parameters, parametersText(request, version)),
    textChunk(pngKeywords.request, stringifyExactly(request) ?? "", "iTXt"),
  ]);

function chunk(type: string, data: Uint8Array): Buffer {
  const typeAndData = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const bytes = Buffer.alloc(typeAndData.length + 8);
  bytes.writeUInt32BE(data.length, 0);
  bytes.set(typeAndData, 4);
  bytes.writeUInt32BE(crc32(typeAndData), typeAndData.length + 4);
  return bytes;
}

/**
 * Creates an `iTXt` chunk if `type` asks for it, or if a `tEXt` chunk cannot hold the text. A `tEXt` chunk holds only
 * Latin-1 without control characters, except tabs and line ends. Neither chunk can hold NUL, which becomes U+FFFD.
 */
function textChunk(keyword: string, text: string, type?: "iTXt"): Buffer {
  const safe = text.replaceAll("\0", "\ufffd");
  if (type === undefined && /^[\t\n\r\x20-\x7e\xa0-\xff]*$/.test(safe)) {
    return chunk("tEXt", Buffer.from(`${keyword}\0${safe}`, "latin1"));
  }
  // After the keyword: no compression, method 0, no language, no translated keyword.
  return chunk("iTXt", Buffer.from(`${keyword}\0\0\0\0\0${safe}`, "utf8"));
}

const textTypes: ReadonlySet<string> = new Set(["tEXt", "zTXt", "iTXt"]);
/** In bytes. The longest keyword, with the NUL after it. */
const maxKeyword = 80;
/** In bytes. A longer text cannot be settings, so it is not read. */
const maxText = 1024 * 1024;

const settingsKeywords: ReadonlySet<string> = new Set(Object.values(pngKeywords));

/**
 * The texts of a PNG by keyword, from anywhere in the file. If a keyword occurs several times, the first text counts. A
 * text is empty if its keyword is not one of `pngKeywords`, or if it is too long or cannot be decompressed.
 */
export function readPngTexts(read: Read): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (let at = 8, part = 0; part < maxParts; part += 1) {
    const head = read(at, 8);
    if (head.length < 8) break;
    const size = head.readUInt32BE(0);
    const type = head.toString("latin1", 4);
    const [start, end] = [at + 8, at + 8 + size];
    at = end + 4;
    if (!textTypes.has(type)) continue;
    const keyword = read(start, Math.min(size, maxKeyword)).toString("latin1").split("\0", 1)[0] ?? "";
    if (keyword === "" || texts.has(keyword)) continue;
    const text = start + keyword.length + 1;
    // Other texts are not read, because a small picture can have thousands that decompress to a megabyte each.
    const isRead = settingsKeywords.has(keyword) && size <= maxText;
    texts.set(keyword, isRead ? textOf(type, read(text, Math.max(0, end - text))) : "");
  }
  return texts;
}

/** The text after the keyword of a chunk; empty if it cannot be decompressed or is too long. */
function textOf(type: string, data: Buffer): string {
  if (type === "tEXt") return data.toString("latin1");
  try {
    const inflated = (from: number) => inflateSync(data.subarray(from), { maxOutputLength: maxText });
    if (type === "zTXt") return inflated(1).toString("latin1");
    // The compression, the language and the translated keyword come before the text.
    const text = data.indexOf(0, data.indexOf(0, 2) + 1) + 1;
    return data[0] === 1 ? inflated(text).toString("utf8") : data.toString("utf8", text);
  } catch {
    return "";
  }
}
