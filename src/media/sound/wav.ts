import type { FileHandle } from "node:fs/promises";
import { CannotJoin, maxChunks, readAt, type Sound } from "./sound.ts";

/** Encodings whose blocks can be concatenated, by format tag. */
const encodings: Readonly<Record<number, string>> = { 1: "PCM", 3: "float", 6: "A-law", 7: "µ-law" };
const pcm = 1;
/** With this tag, the actual format tag is in the first two bytes of the `SubFormat` GUID. */
const extensible = 0xfffe;
const subFormatOffset = 24;
const maxFormatLength = 4096;
/** How many bytes of a `ds64` chunk are read. They contain the size of the file, and then the size of the samples. */
const longSizesLength = 16;

/**
 * A service that streams sound does not know the sizes in the header in advance. In their place, it writes either this
 * number, or the sizes of a file without samples. RF64 files also contain this number, because their actual sizes are
 * in `ds64`.
 */
const unknownSize = 0xffff_ffff;

/** Finds the samples of a RIFF/WAVE or RF64 file. Skips all chunks but `fmt `, `ds64` and `data`. */
export async function readWav(file: FileHandle): Promise<Sound> {
  const { size: fileSize } = await file.stat();
  let format: Buffer | undefined;
  let longSize: number | undefined;
  for (let at = 12, chunk = 0; chunk < maxChunks; chunk += 1) {
    const header = await readAt(file, at, 8);
    if (header.length < 8) throw new CannotJoin("a WAV file without samples");
    const id = header.toString("latin1", 0, 4);
    const size = header.readUInt32LE(4);
    at += 8;
    if (id === "data") {
      if (format === undefined) throw new CannotJoin("a WAV file without a format");
      const isUnknown = size === unknownSize || (size === 0 && (await endOfRiff(file)) <= at);
      const declared = isUnknown ? (longSize ?? unknownSize) : size;
      const next = isUnknown ? "" : (await readAt(file, at + size + (size % 2), 4)).toString("latin1");
      if (next === "RIFF") throw new CannotJoin("several WAV files in one");
      return soundOf(format, at, Math.min(declared, fileSize - at));
    }
    if (id === "fmt ") format = await readAt(file, at, Math.min(size, maxFormatLength));
    if (id === "ds64") longSize = longSizeIn(await readAt(file, at, Math.min(size, longSizesLength)));
    at += size + (size % 2);
  }
  throw new CannotJoin(`a WAV file with ${maxChunks} or more chunks before its samples`);
}

/** Where the file ends according to its header; 0 if that is not known. */
async function endOfRiff(file: FileHandle): Promise<number> {
  const size = (await readAt(file, 4, 4)).readUInt32LE(0);
  return size === unknownSize ? 0 : size + 8;
}

function longSizeIn(sizes: Buffer): number {
  if (sizes.length < longSizesLength) throw new CannotJoin("a WAV file with an incomplete ds64 chunk");
  return Number(sizes.readBigUInt64LE(8));
}

function soundOf(format: Buffer, start: number, length: number): Sound {
  if (format.length < 16) throw new CannotJoin("a WAV file without a format");
  const tag = format.readUInt16LE(0);
  const isExtensible = tag === extensible && format.length >= subFormatOffset + 2;
  const code = isExtensible ? format.readUInt16LE(subFormatOffset) : tag;
  const encoding = encodings[code];
  const channels = format.readUInt16LE(2);
  const rate = format.readUInt32LE(4);
  const blockSize = format.readUInt16LE(12);
  const bits = format.readUInt16LE(14);
  if (encoding === undefined || blockSize === 0) {
    throw new CannotJoin(`a WAV file with encoding 0x${code.toString(16).padStart(4, "0")}`);
  }
  return {
    format: `${bits}-bit ${encoding}, ${channels} channel${channels === 1 ? "" : "s"}, ${rate} Hz`,
    start,
    // An incomplete block would turn the sound after it into noise.
    end: start + length - (length % blockSize),
    frame: (total) => {
      // All encodings except PCM need a `fact` chunk: the number of samples in each channel.
      const fact = code === pcm ? [] : [chunkHeader("fact", 4), uint32(total / blockSize)];
      const padding = Buffer.alloc(total % 2);
      const rest = [
        Buffer.from("WAVE"),
        chunkHeader("fmt ", format.length),
        format,
        Buffer.alloc(format.length % 2),
        ...fact,
        chunkHeader("data", total),
      ];
      const size = rest.reduce((sum, { length: bytes }) => sum + bytes, total + padding.length);
      if (size >= unknownSize) throw new CannotJoin("more sound than the 4 GiB that a WAV file can hold");
      return { head: Buffer.concat([chunkHeader("RIFF", size), ...rest]), tail: padding };
    },
  };
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(Math.min(value, unknownSize));
  return bytes;
}

const chunkHeader = (id: string, size: number): Buffer => Buffer.concat([Buffer.from(id), uint32(size)]);
