import { promisify } from "node:util";
import { crc32, deflate, deflateSync } from "node:zlib";
import type { Picture } from "./decode.ts";

const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

const deflateInBackground = promisify(deflate);

/**
 * Encodes a picture as an 8-bit RGB PNG. Each keyword and value in `text` becomes a `tEXt` chunk and must be Latin-1.
 * Rows are not filtered, and the compression level is 1, because other settings make drawn pictures hardly any smaller.
 * The bytes for the same pixels may differ between versions of zlib.
 */
export const encodePng = (picture: Picture, text: Text = {}): Uint8Array =>
  png(picture, text, deflateSync(rowsOf(picture), compression));

/** Returns the same bytes as `encodePng`, but compresses in another thread. */
export const encodePngInBackground = async (picture: Picture, text: Text = {}): Promise<Uint8Array> =>
  png(picture, text, await deflateInBackground(rowsOf(picture), compression));

type Text = Readonly<Record<string, string>>;

const compression = { level: 1 };

/** The rows of a picture. A byte 0 before each row says that the row is not filtered. */
function rowsOf({ width, height, data }: Picture): Uint8Array {
  const length = width * 3;
  const rows = new Uint8Array((length + 1) * height);
  for (let row = 0; row < height; row++) {
    rows.set(data.subarray(row * length, (row + 1) * length), row * (length + 1) + 1);
  }
  return rows;
}

function png({ width, height }: Picture, text: Text, compressed: Uint8Array): Uint8Array {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    ...Object.entries(text).map(([keyword, value]) =>
      chunk("tEXt", Buffer.from(`${keyword}\0${value}`, "latin1")),
    ),
    chunk("IDAT", compressed),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A chunk: its length, type and content, and then the CRC of the type and the content. */
function chunk(type: string, content: Uint8Array): Buffer {
  const bytes = Buffer.alloc(content.length + 12);
  bytes.writeUInt32BE(content.length, 0);
  bytes.write(type, 4, "latin1");
  bytes.set(content, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4);
  return bytes;
}
