import { stringifyExactly } from "../../core/values/exact-numbers.ts";
import { maxParts, type Read } from "../truncated.ts";
import { parametersText, type StoredSettings } from "./parameters.ts";

/** The tags that are written and read. */
const tag = { description: 0x010e, exif: 0x8769, comment: 0x9286 } as const;
/** The TIFF codes of the value types. */
const type = { ascii: 2, long: 4, undefined: 7 } as const;

const exifStart = Buffer.from("Exif\0\0", "latin1");
const tiffStart = Buffer.from("MM\0*\0\0\0\x08", "latin1");
const unicode = "UNICODE\0";
/** The length of a segment is written with two bytes. */
const maxSegment = 0xffff;

/**
 * The APP1 segment for a JPEG: the settings as `parameters` text in UserComment, where other tools look for it, and the
 * request as JSON in ImageDescription. Undefined if they do not fit in one segment.
 */
export function exifSegment(request: StoredSettings, version: string): Buffer | undefined {
  const text = Buffer.from(parametersText(request, version), "utf16le").swap16();
  const comment = Buffer.concat([Buffer.from(unicode, "latin1"), text]);
  const description = Buffer.from(`${asciiJson(stringifyExactly(request) ?? "")}\0`, "latin1");
  // The first directory has two entries, and the second has one. An entry gives the position of its value as an offset
  // from the start of the TIFF header.
  const directory = tiffStart.length;
  const exifDirectory = directory + directorySize(2);
  const values = exifDirectory + directorySize(1);
  const commentAt = values + description.length + (description.length % 2);
  const tiff = Buffer.concat([
    tiffStart,
    directoryOf([
      [tag.description, type.ascii, description.length, values],
      [tag.exif, type.long, 1, exifDirectory],
    ]),
    directoryOf([[tag.comment, type.undefined, comment.length, commentAt]]),
    description,
    Buffer.alloc(description.length % 2),
    comment,
  ]);
  const length = 2 + exifStart.length + tiff.length;
  if (length > maxSegment) return undefined;
  const head = Buffer.from([0xff, 0xe1, length >> 8, length & 0xff]);
  return Buffer.concat([head, exifStart, tiff]);
}

/** JSON with every non-ASCII character escaped. */
const asciiJson = (json: string): string =>
  json.replace(
    /[\x7f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const entrySize = 12;
const directorySize = (entries: number): number => 2 + entries * entrySize + 4;

type Entry = readonly [tag: number, type: number, count: number, valueOrOffset: number];

function directoryOf(entries: readonly Entry[]): Buffer {
  const bytes = Buffer.alloc(directorySize(entries.length));
  bytes.writeUInt16BE(entries.length, 0);
  for (const [index, [id, kind, count, value]] of entries.entries()) {
    const at = 2 + index * entrySize;
    bytes.writeUInt16BE(id, at);
    bytes.writeUInt16BE(kind, at + 2);
    bytes.writeUInt32BE(count, at + 4);
    bytes.writeUInt32BE(value, at + 8);
  }
  return bytes;
}

/** A segment of a JPEG or a chunk of a WebP, with the offset and the size of its data in bytes. */
interface Part {
  readonly name: number | string;
  readonly at: number;
  readonly size: number;
}

/** The segments of a JPEG before its pixel data, named by their markers. */
function* jpegSegments(read: Read): Generator<Part> {
  for (let at = 2, part = 0; part < maxParts; part += 1) {
    const head = read(at, 4);
    const [first, marker = 0] = head;
    if (head.length < 4 || first !== 0xff || marker === 0xda || marker === 0xd9) return;
    if (marker === 0xff) at += 1;
    else {
      const length = head.readUInt16BE(2);
      yield { name: marker, at: at + 4, size: length - 2 };
      at += 2 + length;
    }
  }
}

/** The chunks of a WebP. */
function* webpChunks(read: Read): Generator<Part> {
  for (let at = 12, part = 0; part < maxParts; part += 1) {
    const head = read(at, 8);
    if (head.length < 8) return;
    const size = head.readUInt32LE(4);
    yield { name: head.toString("latin1", 0, 4), at: at + 8, size };
    at += 8 + size + (size % 2);
  }
}

const app0 = 0xe0;
const app1 = 0xe1;

/**
 * Where to insert an EXIF segment into a JPEG: before all segments, or after a JFIF segment that comes first. Undefined
 * if the JPEG already has an APP1 segment, which holds EXIF or XMP.
 */
export function exifPosition(read: Read): number | undefined {
  const segments = [...jpegSegments(read)];
  if (segments.some(({ name }) => name === app1)) return undefined;
  const [first] = segments;
  return first?.name === app0 ? first.at + first.size : 2;
}

/**
 * The TIFF structure in the EXIF segment of a JPEG, or in the EXIF chunk of a WebP. In a WebP, the `Exif` mark before
 * it may be missing.
 */
export function exifOf(read: Read, ext: "jpg" | "webp"): Buffer | undefined {
  const isWebp = ext === "webp";
  for (const { name, at, size } of isWebp ? webpChunks(read) : jpegSegments(read)) {
    if (name !== (isWebp ? "EXIF" : app1) || size < 0 || size > maxSegment) continue;
    const data = read(at, size);
    const isMarked = data.subarray(0, exifStart.length).equals(exifStart);
    if (isMarked || isWebp) return isMarked ? data.subarray(exifStart.length) : data;
  }
  return undefined;
}

/** Reads the texts that `exifSegment` writes, and UserComment as other tools write it. Never throws. */
export function readExif(tiff: Buffer): {
  readonly description: string | undefined;
  readonly comment: string | undefined;
} {
  const little = tiff.toString("latin1", 0, 2) === "II";
  const number = (at: number, size: 2 | 4): number =>
    at + size > tiff.length ? 0 : little ? tiff.readUIntLE(at, size) : tiff.readUIntBE(at, size);
  const entry = (directory: number, id: number): number | undefined =>
    Array.from({ length: number(directory, 2) }, (_, index) => directory + 2 + index * entrySize).find(
      (at) => number(at, 2) === id,
    );
  const value = (at: number | undefined): Buffer | undefined => {
    if (at === undefined) return undefined;
    const length = number(at + 4, 4);
    const start = length > 4 ? number(at + 8, 4) : at + 8;
    return tiff.subarray(start, start + length);
  };
  const first = number(4, 4);
  const exif = entry(first, tag.exif);
  const comment = exif === undefined ? undefined : value(entry(number(exif + 8, 4), tag.comment));
  return {
    description: value(entry(first, tag.description))?.toString("utf8").replace(/\0+$/, ""),
    comment: comment && commentText(comment, little),
  };
}

/** The text of a UserComment, whose first eight bytes name its encoding. */
function commentText(comment: Buffer, little: boolean): string {
  const text = comment.subarray(unicode.length);
  const isUnicode = comment.toString("latin1", 0, unicode.length).startsWith("UNICODE");
  return (isUnicode ? utf16(text, little) : text.toString("utf8")).replace(/\0+$/, "");
}

/**
 * Decodes UTF-16 in either byte order, because not every tool uses the byte order of the TIFF header. The zeros show
 * the byte order: settings are mostly ASCII, so most of the upper bytes are zero.
 */
function utf16(bytes: Buffer, little: boolean): string {
  const zeros = [0, 0];
  for (const [at, byte] of bytes.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const isLittle = even === odd ? little : odd > even;
  return new TextDecoder(isLittle ? "utf-16le" : "utf-16be").decode(bytes);
}
