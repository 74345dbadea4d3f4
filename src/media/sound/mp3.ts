import type { FileHandle } from "node:fs/promises";
import { CannotJoin, maxChunks, readAt, type Sound } from "./sound.ts";

/** Bit rates of layer III in kbit/s, by their index in a frame header. Index 0 is a free bit rate. */
const bitRates = {
  mpeg1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  mpeg2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;
/** In Hz, for MPEG-1. MPEG-2 has half of each rate, and MPEG-2.5 a quarter. */
const sampleRates = [44_100, 48_000, 32_000] as const;
const versions = {
  3: { name: "1", divisor: 1 },
  2: { name: "2", divisor: 2 },
  0: { name: "2.5", divisor: 4 },
};

interface Frame {
  readonly format: string;
  /** In bytes, with the header. */
  readonly length: number;
  /** The offset in the frame at which a Xing or Info header would be. */
  readonly infoOffset: number;
}

/** How many bytes after the leading tags are searched for the first frame. Some writers leave padding there. */
const maxPadding = 64 * 1024;

/** Finds the frames of an MP3 file, without its ID3 and APE tags and its Xing, Info or VBRI frame. */
export async function readMp3(file: FileHandle): Promise<Sound> {
  const end = await endOfFrames(file, (await file.stat()).size);
  const tags = await endOfTags(file);
  const head = await readAt(file, tags, maxPadding);
  const at = firstFrame(head);
  const frame = frameAt(head, at);
  if (frame === undefined) throw new CannotJoin("an MP3 file without frames");
  const start = tags + at + (isInfo(head.subarray(at), frame) ? frame.length : 0);
  const none = new Uint8Array();
  return {
    format: frame.format,
    start,
    end: Math.max(start, end),
    frame: () => ({ head: none, tail: none }),
  };
}

/** Where the ID3v2 tags at the start of a file end. */
async function endOfTags(file: FileHandle): Promise<number> {
  for (let at = 0, tag = 0; tag < maxChunks; tag += 1) {
    const header = await readAt(file, at, 10);
    if (header.length < 10 || header.toString("latin1", 0, 3) !== "ID3") return at;
    // Each byte of the size holds seven bits.
    const size = [6, 7, 8, 9].reduce((sum, byte) => sum * 128 + ((header[byte] ?? 0) & 0x7f), 0);
    const hasFooter = ((header[5] ?? 0) & 0x10) !== 0;
    at += 10 + size + (hasFooter ? 10 : 0);
  }
  throw new CannotJoin(`an MP3 file with ${maxChunks} or more tags before its frames`);
}

/** Where the ID3v1 and APE tags at the end of a file start. */
async function endOfFrames(file: FileHandle, size: number): Promise<number> {
  const id3 = await readAt(file, Math.max(0, size - 128), 3);
  const end = id3.toString("latin1") === "TAG" ? size - 128 : size;
  const footer = await readAt(file, Math.max(0, end - 32), 32);
  if (footer.length < 32 || footer.toString("latin1", 0, 8) !== "APETAGEX") return end;
  const hasHeader = (footer.readUInt32LE(20) & 0x8000_0000) !== 0;
  return end - footer.readUInt32LE(12) - (hasHeader ? 32 : 0);
}

/**
 * The offset of the first frame; 0 if there is none. A candidate counts if it is at offset 0, if a frame of the same
 * format follows it, or if it reaches the end of `head`.
 */
function firstFrame(head: Buffer): number {
  for (let at = head.indexOf(0xff); at >= 0; at = head.indexOf(0xff, at + 1)) {
    const frame = frameAt(head, at);
    if (frame === undefined) continue;
    const next = at + frame.length;
    if (at === 0 || next >= head.length || frameAt(head, next)?.format === frame.format) return at;
  }
  return 0;
}

function frameAt(bytes: Buffer, at: number): Frame | undefined {
  if (at + 4 > bytes.length) return undefined;
  const header = bytes.readUInt32BE(at);
  const version = versions[((header >>> 19) & 3) as keyof typeof versions];
  const isLayer3 = header >>> 21 === 0x7ff && ((header >>> 17) & 3) === 1;
  const baseRate = sampleRates[(header >>> 10) & 3];
  if (!isLayer3 || version === undefined || baseRate === undefined) return undefined;
  const isMpeg1 = version.divisor === 1;
  const bitRate = bitRates[isMpeg1 ? "mpeg1" : "mpeg2"][(header >>> 12) & 15];
  if (bitRate === undefined || bitRate === 0) return undefined;
  const rate = baseRate / version.divisor;
  const padding = (header >>> 9) & 1;
  const isMono = ((header >>> 6) & 3) === 3;
  const hasChecksum = ((header >>> 16) & 1) === 0;
  const sideInfo = isMpeg1 ? (isMono ? 17 : 32) : isMono ? 9 : 17;
  return {
    format: `MPEG-${version.name} layer III, ${isMono ? "1 channel" : "2 channels"}, ${rate} Hz`,
    length: Math.floor(((isMpeg1 ? 144 : 72) * bitRate * 1000) / rate) + padding,
    infoOffset: 4 + (hasChecksum ? 2 : 0) + sideInfo,
  };
}

/**
 * Whether a frame is a Xing, Info or VBRI header instead of sound. Such a header states the length of its own file, not
 * that of the joined file.
 */
function isInfo(frame: Buffer, { infoOffset }: Frame): boolean {
  const idAt = (offset: number) => frame.toString("latin1", offset, offset + 4);
  return ["Xing", "Info"].includes(idAt(infoOffset)) || idAt(36) === "VBRI";
}
