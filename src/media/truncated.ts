const pngSignature = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Bytes of a PNG chunk besides its data: length and type before, checksum after. */
const chunkOverhead = 12;
const chunkHeader = 8;
/**
 * The type of the last chunk. It is a number, because a PNG has many chunks and numbers are compared faster than texts.
 */
const lastType = Buffer.from("IEND").readUInt32BE();

/** Finds the end of a PNG that arrives in parts. */
export class PngEnd {
  /** The offset at which the next part begins, after the bytes in `#held`. */
  #position = 0;
  #next = pngSignature.length;
  #held: Buffer = Buffer.alloc(0);
  #isPng: boolean | undefined;
  /** The offset of the `IEND` chunk, once it has begun. */
  offset: number | undefined;

  /** How many of the last bytes are not checked yet. An `IEND` chunk may start in them. */
  get undecided(): number {
    return this.#held.length;
  }

  add(part: Buffer): void {
    if (this.#isPng === false || this.offset !== undefined) return;
    const start = this.#position - this.#held.length;
    const bytes = this.#held.length === 0 ? part : Buffer.concat([this.#held, part]);
    this.#position += part.length;
    if (this.#isPng === undefined && this.#position >= pngSignature.length) {
      this.#isPng = bytes.subarray(0, pngSignature.length).equals(pngSignature);
    }
    while (this.#isPng && this.#next + chunkHeader <= this.#position) {
      const at = this.#next - start;
      if (bytes.readUInt32BE(at + 4) === lastType) {
        this.offset = this.#next;
        this.#held = Buffer.alloc(0);
        return;
      }
      this.#next += chunkOverhead + bytes.readUInt32BE(at);
    }
    // Keeps the bytes of an incomplete signature or chunk header until the rest of it arrives.
    const kept = this.#isPng === undefined ? 0 : this.#isPng ? this.#next - start : bytes.length;
    this.#held = Buffer.from(bytes.subarray(kept));
  }
}

const isWholeChunk = (offset: number | undefined, length: number): boolean =>
  offset !== undefined && offset + chunkOverhead <= length;

/**
 * The maximum number of segments or chunks that are read from a saved picture or sound. Real files have far fewer. A
 * malicious file may have millions, which would take minutes to read.
 */
export const maxParts = 100_000;

/** Reads up to `size` bytes of a file from a position; fewer at the end. */
export type Read = (at: number, size: number) => Buffer;

/** A file of which only the needed parts are read. */
interface Source {
  readonly length: number;
  readonly read: Read;
  /** The offset of the `IEND` chunk of a PNG, as `PngEnd` found it; otherwise undefined. */
  readonly pngEnd: number | undefined;
}

/** Functions that return whether a picture or sound is truncated, by extension. Other formats are not checked. */
const checks: Readonly<Record<string, (file: Source) => boolean>> = {
  png: ({ pngEnd, length }) => !isWholeChunk(pngEnd, length),
  jpg: (file) => !hasEndOfImage(file),
  webp: (file) => riffLength(file) > file.length,
  wav: isShortWav,
};

/**
 * In the header of a WAV file, this and every greater length counts as a placeholder. A service that streams sound does
 * not know the length in advance, so it writes a placeholder. The known ones are 2,000,000,000 and more.
 */
const streamedLength = 0x4000_0000;

/** The length of a RIFF file according to its header; infinite if the header is incomplete. */
const riffLength = (file: Source): number =>
  file.length < 12 ? Number.POSITIVE_INFINITY : file.read(4, 4).readUInt32LE(0) + 8;

/**
 * Whether a WAV file is shorter than the header says. The header has two lengths, that of the whole file and that of
 * the samples. Some services write one of them wrong, so the file must be too short for both. A length that is missing,
 * or that is a placeholder, does not count.
 */
function isShortWav(file: Source): boolean {
  if (file.length < 12) return true;
  const lengths = [riffLength(file), endOfSamples(file)].filter((length) => length < streamedLength);
  return lengths.length > 0 && Math.min(...lengths) > file.length;
}

/** Where the samples of a WAV file end according to their header; infinite if the header is missing. */
function endOfSamples(file: Source): number {
  let at = 12;
  for (let part = 0; part < maxParts; part += 1) {
    const header = file.read(at, 8);
    if (header.length < 8) break;
    const size = header.readUInt32LE(4);
    if (header.toString("latin1", 0, 4) === "data") return at + 8 + size;
    at += 8 + size + (size % 2);
  }
  return Number.POSITIVE_INFINITY;
}

/** Whether a picture or sound is known to be truncated. */
export const isTruncated = (file: Source, ext: string | undefined): boolean =>
  ext !== undefined && Object.hasOwn(checks, ext) && checks[ext]?.(file) === true;

/** In the pixel data of a JPEG, this byte never follows 0xff, so the two bytes mark the end. */
const endMarker = 0xd9;
const endOfImage = Buffer.of(0xff, endMarker);
const startOfScan = 0xda;
const windowSize = 65_536;

/**
 * Whether a JPEG has an end marker. The segments before the pixel data are skipped, because they may contain a preview
 * picture with its own end marker.
 */
function hasEndOfImage(jpeg: Source): boolean {
  let at = 2;
  for (let part = 0; part < maxParts; part += 1) {
    const [first, marker, ...size] = jpeg.read(at, 4);
    if (size.length < 2 || first !== 0xff || marker === startOfScan) break;
    if (marker === endMarker) return true;
    // 0xff may be repeated before a marker.
    at += marker === 0xff ? 1 : 2 + Buffer.from(size).readUInt16BE(0);
  }
  for (; at < jpeg.length; at += windowSize - 1) {
    if (jpeg.read(at, windowSize).includes(endOfImage)) return true;
  }
  return false;
}
