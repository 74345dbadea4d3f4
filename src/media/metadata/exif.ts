/** The numbers of the fields that are followed. */
const exifFolder = 0x8769;
const comment = 0x9286;

/** The `UserComment` of Exif data, which begins with a TIFF header; undefined if there is none or the data is broken. */
export function userComment(tiff: Buffer): string | undefined {
  try {
    const littleEndian = tiff.toString("latin1", 0, 2) === "II";
    const numbers = {
      short: (at: number) => (littleEndian ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at)),
      long: (at: number) => (littleEndian ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at)),
    };
    const folder = field(numbers, numbers.long(4), exifFolder);
    const found = folder && field(numbers, folder.value, comment);
    return found && commentText(tiff.subarray(found.value, found.value + found.count), littleEndian);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

interface Numbers {
  readonly short: (at: number) => number;
  readonly long: (at: number) => number;
}

/** How many values a field of a folder at `start` has, and its value or where its values are. */
function field({ short, long }: Numbers, start: number, tag: number) {
  const count = short(start);
  for (let entry = start + 2; entry < start + 2 + count * 12; entry += 12) {
    if (short(entry) === tag) return { count: long(entry + 4), value: long(entry + 8) };
  }
  return undefined;
}

/** The text after the eight bytes that name its encoding; undefined if it is empty or in an unknown encoding. */
function commentText(bytes: Buffer, littleEndian: boolean): string | undefined {
  const encoding = bytes.toString("latin1", 0, 8);
  const text = bytes.subarray(8);
  const decoded = encoding.startsWith("UNICODE")
    ? utf16(text, littleEndian)
    : encoding.startsWith("ASCII")
      ? text.toString("utf8")
      : "";
  return decoded.replace(/\0+$/, "") || undefined;
}

/**
 * UTF-16 in either order: tools differ on whether the order of the TIFF header counts. Settings are mostly ASCII, so the half of
 * the bytes with more zeros is the upper one.
 */
function utf16(bytes: Buffer, littleEndian: boolean): string {
  const zeros = [0, 0];
  for (const [at, byte] of bytes.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const isLittle = even === odd ? littleEndian : odd > even;
  return new TextDecoder(isLittle ? "utf-16le" : "utf-16be").decode(bytes);
}
