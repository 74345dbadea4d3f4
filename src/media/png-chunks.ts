import { crc32 } from "node:zlib";

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Length and type before the data of a chunk, and the checksum after it. */
const AROUND_DATA = 12;

export interface Chunk {
  /** Four letters. */
  readonly type: string;
  readonly data: Buffer;
  /** Where the chunk starts in the file: at its length. */
  readonly start: number;
  /** Whether the checksum agrees. Looked at when asked for: pixels are large. */
  isIntact(): boolean;
}

/** The chunks of a PNG, as far as they are whole, `IEND` last; none for anything else. Never throws. */
export function* chunksOf(png: Uint8Array): Generator<Chunk, void> {
  const file = Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  if (!file.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return;
  let start = SIGNATURE.length;
  while (start + AROUND_DATA <= file.length) {
    const end = start + AROUND_DATA + file.readUInt32BE(start);
    if (end > file.length) return;
    const named = file.subarray(start + 4, end - 4);
    const type = named.toString("latin1", 0, 4);
    const checksum = file.readUInt32BE(end - 4);
    yield { type, data: named.subarray(4), start, isIntact: () => crc32(named) === checksum };
    if (type === "IEND") return;
    start = end;
  }
}

/** A chunk as it stands in a file. */
export function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const bytes = Buffer.alloc(named.length + 8);
  bytes.writeUInt32BE(data.length, 0);
  bytes.set(named, 4);
  bytes.writeUInt32BE(crc32(named), named.length + 4);
  return bytes;
}
