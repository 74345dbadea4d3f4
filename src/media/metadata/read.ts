import type { FileHandle } from "node:fs/promises";
import { inflateSync } from "node:zlib";
import { asRecord, parseJson } from "../../core/json.ts";
import { userComment } from "./exif.ts";
import { fieldsOf } from "./parameters.ts";

/** The settings that a picture carries: fields of the request that made it. `undefined` if it has none. */
export type Settings = Readonly<Record<string, unknown>> | undefined;

/** Longer texts are no settings, and are not read. In bytes. */
const maxText = 64 * 1024;

/**
 * Reads the settings of a picture: the request that gpuctl stores in a PNG, or the `parameters` text of gpuctl and other tools
 * in a PNG, or as Exif comment in a JPEG or WebP. Reads the headers of the parts of the file, and not the pixels.
 */
export async function readSettings(file: FileHandle, ext: string): Promise<Settings> {
  const texts = await textsOf(part(file), ext);
  const request = asRecord(parseJson(texts.gpuctl ?? ""));
  if (typeof request.prompt === "string") return request;
  return texts.parameters === undefined ? undefined : fieldsOf(texts.parameters);
}

/** Reads bytes from a position; fewer at the end of the file. */
type Read = (start: number, length: number) => Promise<Buffer>;

const part =
  (file: FileHandle): Read =>
  async (start, length) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start);
    return buffer.subarray(0, bytesRead);
  };

interface Texts {
  readonly parameters?: string;
  readonly gpuctl?: string;
}

async function textsOf(read: Read, ext: string): Promise<Texts> {
  if (ext === "png") return pngTexts(read);
  const exif = ext === "jpg" ? await jpegExif(read) : ext === "webp" ? await webpExif(read) : undefined;
  const parameters = exif && userComment(exif);
  return parameters === undefined ? {} : { parameters };
}

/** The `tEXt` and `iTXt` chunks, wherever they are: gpuctl adds its own after the pixels. */
async function pngTexts(read: Read): Promise<Texts> {
  const texts: { [keyword: string]: string } = {};
  for (let at = 8; ; ) {
    const head = await read(at, 8);
    if (head.length < 8) return texts;
    const length = head.readUInt32BE(0);
    const type = head.toString("latin1", 4);
    if ((type === "tEXt" || type === "iTXt") && length <= maxText) {
      const data = await read(at + 8, length);
      const [keyword = ""] = data.toString("latin1").split("\0", 1);
      const text = type === "tEXt" ? data.toString("latin1", keyword.length + 1) : internationalText(data);
      if (keyword === "parameters" || keyword === "gpuctl") texts[keyword] ??= text;
    }
    if (type === "IEND") return texts;
    at += 12 + length;
  }
}

/** The text of an `iTXt` chunk: after the keyword, how it is compressed, its language and the translated keyword. */
function internationalText(data: Buffer): string {
  const keywordEnd = data.indexOf(0);
  const isCompressed = data[keywordEnd + 1] === 1;
  const start = data.indexOf(0, data.indexOf(0, keywordEnd + 3) + 1) + 1;
  const text = data.subarray(start);
  if (!isCompressed) return text.toString("utf8");
  try {
    return inflateSync(text, { maxOutputLength: maxText }).toString("utf8");
  } catch {
    return "";
  }
}

const exifMark = Buffer.from("Exif\0\0", "latin1");

/** The Exif data of a JPEG, from the segments before its pixels. */
async function jpegExif(read: Read): Promise<Buffer | undefined> {
  for (let at = 2; ; ) {
    const head = await read(at, 4);
    if (head.length < 4 || head[0] !== 0xff || head[1] === 0xda) return undefined;
    const length = head.readUInt16BE(2);
    if (head[1] === 0xe1) {
      const data = await read(at + 4, length - 2);
      if (data.subarray(0, exifMark.length).equals(exifMark)) return data.subarray(exifMark.length);
    }
    at += 2 + length;
  }
}

/** The Exif data of a WebP, with or without the mark that JPEG needs. */
async function webpExif(read: Read): Promise<Buffer | undefined> {
  for (let at = 12; ; ) {
    const head = await read(at, 8);
    if (head.length < 8) return undefined;
    const length = head.readUInt32LE(4);
    if (head.toString("latin1", 0, 4) === "EXIF" && length <= maxText) {
      const data = await read(at + 8, length);
      return data.subarray(0, exifMark.length).equals(exifMark) ? data.subarray(exifMark.length) : data;
    }
    at += 8 + length + (length % 2);
  }
}
