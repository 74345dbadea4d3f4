import { open } from "node:fs/promises";

/** A media type that the service may return. */
export interface MediaType {
  /** Without a dot. */
  readonly ext: string;
  readonly mime: string;
  readonly kind: "image" | "audio";
  readonly matches: (bytes: Uint8Array) => boolean;
}

function ascii(bytes: Uint8Array, start: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(start, start + length));
}

function startsWith(...expected: number[]) {
  return (bytes: Uint8Array) => expected.every((byte, index) => bytes[index] === byte);
}

/** Matches RIFF files of one form; `RF64` is RIFF with 64-bit sizes. */
function riff(form: string) {
  return (bytes: Uint8Array) => /^RIFF|^RF64/.test(ascii(bytes, 0, 4)) && ascii(bytes, 8, 4) === form;
}

/** Matches ISO base media files by their major and compatible brands. */
function isoMedia(brands: RegExp) {
  return (bytes: Uint8Array) => {
    if (ascii(bytes, 4, 4) !== "ftyp") return false;
    const size = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
    // No writer lists more than 16 brands; a forged size must not make this slow.
    const listed = ascii(bytes, 8, Math.max(0, Math.min(size - 8, 8 + 16 * 4)));
    return (listed.match(/.{4}/gs) ?? []).some((brand, index) => index !== 1 && brands.test(brand));
  };
}

/** Matches files that begin with `start`, and whose 64 bytes from `offset` match `further`. */
function texts(start: string, offset = 0, further = /(?:)/) {
  return (bytes: Uint8Array) =>
    ascii(bytes, 0, start.length) === start && further.test(ascii(bytes, offset, 64));
}

/** Plain text may also begin with "BM", so the size of the header is checked as well. */
function isBitmap(bytes: Uint8Array): boolean {
  return ascii(bytes, 0, 2) === "BM" && [12, 40, 52, 56, 64, 108, 124].includes(bytes[14] ?? 0);
}

/** Checks for an MPEG layer III frame header with a valid version, bit rate and sample rate. */
function isMp3Frame(bytes: Uint8Array): boolean {
  const [sync = 0, kind = 0, rates = 0] = bytes;
  const reservedVersion = (kind & 0x18) === 0x08;
  const layerThree = (kind & 0xe6) === 0xe2;
  const ratesExist = (rates & 0xf0) !== 0xf0 && (rates & 0x0c) !== 0x0c;
  return sync === 0xff && layerThree && !reservedVersion && ratesExist && bytes.length >= 4;
}

function isAdtsFrame(bytes: Uint8Array): boolean {
  const [sync = 0, kind = 0, rate = 0xff] = bytes;
  return sync === 0xff && (kind & 0xf6) === 0xf0 && ((rate >> 2) & 0x0f) < 13 && bytes.length >= 7;
}

/** The known types, one for each extension. The service returns no video, so an MPEG-4 or WebM file is audio. */
export const MEDIA_TYPES: readonly MediaType[] = [
  {
    ext: "png",
    mime: "image/png",
    kind: "image",
    matches: startsWith(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
  },
  { ext: "jpg", mime: "image/jpeg", kind: "image", matches: startsWith(0xff, 0xd8, 0xff) },
  { ext: "webp", mime: "image/webp", kind: "image", matches: riff("WEBP") },
  { ext: "gif", mime: "image/gif", kind: "image", matches: (bytes) => /^GIF8[79]a/.test(ascii(bytes, 0, 6)) },
  { ext: "avif", mime: "image/avif", kind: "image", matches: isoMedia(/avi[fs]/) },
  { ext: "heic", mime: "image/heic", kind: "image", matches: isoMedia(/he[iv][cx]/) },
  { ext: "bmp", mime: "image/bmp", kind: "image", matches: isBitmap },
  {
    ext: "tiff",
    mime: "image/tiff",
    kind: "image",
    matches: (bytes) => /^(?:II[*+]\0|MM\0[*+])/.test(ascii(bytes, 0, 4)),
  },
  {
    ext: "jxl",
    mime: "image/jxl",
    kind: "image",
    matches: (bytes) => texts("\0\0\0\fJXL \r\n\x87\n")(bytes) || texts("\xff\n")(bytes),
  },
  { ext: "jp2", mime: "image/jp2", kind: "image", matches: texts("\0\0\0\fjP  \r\n\x87\n") },
  { ext: "wav", mime: "audio/wav", kind: "audio", matches: riff("WAVE") },
  {
    ext: "mp3",
    mime: "audio/mpeg",
    kind: "audio",
    matches: (bytes) => ascii(bytes, 0, 3) === "ID3" || isMp3Frame(bytes),
  },
  { ext: "ogg", mime: "audio/ogg", kind: "audio", matches: (bytes) => ascii(bytes, 0, 4) === "OggS" },
  { ext: "flac", mime: "audio/flac", kind: "audio", matches: (bytes) => ascii(bytes, 0, 4) === "fLaC" },
  { ext: "aiff", mime: "audio/aiff", kind: "audio", matches: texts("FORM", 8, /^AIF[FC]/) },
  { ext: "amr", mime: "audio/amr", kind: "audio", matches: texts("#!AMR") },
  { ext: "au", mime: "audio/basic", kind: "audio", matches: texts(".snd") },
  { ext: "caf", mime: "audio/x-caf", kind: "audio", matches: texts("caff") },
  { ext: "webm", mime: "audio/webm", kind: "audio", matches: texts("\x1aE\xdf\xa3", 0, /webm/) },
  { ext: "m4a", mime: "audio/mp4", kind: "audio", matches: isoMedia(/M4[AB] |mp4[12]|iso[m2-9]/) },
  { ext: "aac", mime: "audio/aac", kind: "audio", matches: isAdtsFrame },
];

/** Detects the type from the first bytes; undefined if it is not known. Never throws. */
export const sniff = (bytes: Uint8Array): MediaType | undefined =>
  MEDIA_TYPES.find(({ matches }) => matches(bytes));

/** How many bytes at the start of a file are read to detect its type. */
const headLength = 4096;

/** The type of a saved file by its first bytes; undefined if it is not known. */
export async function sniffFile(path: string): Promise<MediaType | undefined> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headLength), 0, headLength, 0);
    return sniff(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}
