import type { StoredSettings } from "../../src/media/settings/parameters.ts";
import { pngText } from "../../src/media/settings/png-text.ts";

/** A whole PNG with the texts that gpuctl adds. */
export const withPngText = (png: Uint8Array, request: StoredSettings, version: string) =>
  Buffer.concat([png.subarray(0, -12), pngText(request, version), png.subarray(-12)]);

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

/** The chunks of a whole PNG, in order. */
export function chunksOf(png: Uint8Array): readonly Chunk[] {
  const file = Buffer.from(png);
  const chunks: Chunk[] = [];
  for (let start = 8; start < file.length; ) {
    const end = start + 12 + file.readUInt32BE(start);
    chunks.push({
      type: file.toString("latin1", start + 4, start + 8),
      data: file.subarray(start + 8, end - 4),
    });
    start = end;
  }
  return chunks;
}

/** Keyword -> text of the `tEXt` and uncompressed `iTXt` chunks of a whole PNG. */
export function readPngText(png: Uint8Array): Readonly<Record<string, string>> {
  return Object.fromEntries(
    chunksOf(png).flatMap(({ type, data }) => {
      const [keyword = ""] = data.toString("latin1").split("\0", 1);
      if (type === "tEXt") return [[keyword, data.toString("latin1", keyword.length + 1)]];
      return type === "iTXt" ? [[keyword, data.toString("utf8", keyword.length + 5)]] : [];
    }),
  );
}

/** The request that gpuctl stored in a picture. */
export const readRequest = (png: Uint8Array): unknown => JSON.parse(readPngText(png).gpuctl ?? "");
