const pngSignature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Bytes of a PNG chunk besides its data: length and type before, checksum after. */
const chunkOverhead = 12;

/** Offset of the `IEND` chunk of a complete PNG; undefined for any other file. Never throws. */
export function endOfPng(png: Uint8Array): number | undefined {
  const file = bufferOf(png);
  let start = pngSignature.length;
  if (!file.subarray(0, start).equals(pngSignature)) return undefined;
  while (start + chunkOverhead <= file.length) {
    const next = start + chunkOverhead + file.readUInt32BE(start);
    if (next > file.length) return undefined;
    if (file.toString("latin1", start + 4, start + 8) === "IEND") return start;
    start = next;
  }
  return undefined;
}

/** Whether the bytes of a picture or sound end before its end, by extension. The other formats do not mark their end. */
const checks: Readonly<Record<string, (file: Buffer) => boolean>> = {
  png: (file) => endOfPng(file) === undefined,
  jpg: (file) => !hasEndOfImage(file),
  webp: (file) => file.length < 12 || file.readUInt32LE(4) + 8 > file.length,
  // A service that streams sound does not know its size, and writes the highest number.
  wav: (file) =>
    file.length < 12 || (file.readUInt32LE(4) < 0xffff_ffff && file.readUInt32LE(4) + 8 > file.length),
};

/** Whether a picture or sound is known to be truncated. Never throws. */
export const isTruncated = (bytes: Uint8Array, ext: string | undefined): boolean =>
  ext !== undefined && Object.hasOwn(checks, ext) && checks[ext]?.(bufferOf(bytes)) === true;

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** In the pixels of a JPEG, 0xff is never followed by this byte, so the two mark the end. */
const endMarker = 0xd9;
const endOfImage = Uint8Array.of(0xff, endMarker);
const startOfScan = 0xda;

/** Whether a JPEG has an end. The segments before its pixels are skipped: they may hold another picture, a preview. */
function hasEndOfImage(jpeg: Buffer): boolean {
  let at = 2;
  while (at + 4 <= jpeg.length && jpeg[at] === 0xff && jpeg[at + 1] !== startOfScan) {
    if (jpeg[at + 1] === endMarker) return true;
    // 0xff may be repeated before a marker.
    at += jpeg[at + 1] === 0xff ? 1 : 2 + jpeg.readUInt16BE(at + 2);
  }
  return jpeg.indexOf(endOfImage, at) >= 0;
}
