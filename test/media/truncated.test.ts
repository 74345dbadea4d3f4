import { describe, expect, test } from "vitest";
import { isTruncated as isFileTruncated, PngEnd } from "../../src/media/truncated.ts";
import { tinyPng } from "../support/pictures.ts";
import { fc } from "../support/property.ts";

const png = tinyPng();
const webp = Buffer.from("UklGRh4AAABXRUJQVlA4TBEAAAAvAQAAAA8Q87//8x8OMqL/AQA=", "base64");
const preview = [0xff, 0xd8, 0x00, 0xff, 0xd9];
/** A JPEG with a preview in its first segment, and pixels. */
const jpeg = Uint8Array.from([
  ...[0xff, 0xd8, 0xff, 0xe1, 0, 2 + preview.length, ...preview],
  ...[0xff, 0xda, 0, 2, 1, 2, 3, 0xff, 0x00, 4, 0xff, 0xd9],
]);
const pictures = [
  ["png", png],
  ["webp", webp],
  ["jpg", jpeg],
] as const;

function isTruncated(file: Uint8Array, ext: string | undefined): boolean {
  const bytes = Buffer.from(file);
  const end = new PngEnd();
  end.add(bytes);
  const read = (at: number, size: number) => bytes.subarray(at, at + size);
  return isFileTruncated({ length: bytes.length, read, pngEnd: end.offset }, ext);
}

describe.each(pictures)("a picture in the format %s", (ext, picture) => {
  test("is complete as it is, and with more bytes after its end", () => {
    expect(isTruncated(picture, ext)).toBe(false);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), (more) => {
        expect(isTruncated(Buffer.concat([picture, more]), ext)).toBe(false);
      }),
    );
  });

  test("is truncated wherever it ends early", () => {
    for (let length = 0; length < picture.length; length += 1)
      expect(isTruncated(picture.subarray(0, length), ext), `${length} bytes`).toBe(true);
  });
});

describe("a WAV file", () => {
  const chunk = (id: string, data: Buffer) => {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(data.length);
    return Buffer.concat([Buffer.from(id), size, data, Buffer.alloc(data.length % 2)]);
  };
  const wav = chunk(
    "RIFF",
    Buffer.concat([
      Buffer.from("WAVE"),
      ...[chunk("fmt ", Buffer.alloc(16)), chunk("LIST", Buffer.alloc(3)), chunk("data", Buffer.alloc(40))],
    ]),
  );

  test("is truncated wherever it ends early", () => {
    expect(isTruncated(wav, "wav")).toBe(false);
    for (let length = 0; length < wav.length; length += 1)
      expect(isTruncated(wav.subarray(0, length), "wav"), `${length} bytes`).toBe(true);
  });

  const dataSize = wav.indexOf("data") + 4;
  test.each([
    ["of the file", 4, 1],
    ["of the file", 4, 8],
    ["of the file", 4, 1_000],
    ["of the file", 4, 2_000_000_000],
    ["of the samples", dataSize, 8],
    ["of the samples", dataSize, 1_000],
    ["of the samples", dataSize, 0xffff_0000],
  ])("is complete if only the length %s, at byte %i, is too large by %i", (_, at, more) => {
    const wrong = Buffer.from(wav);
    wrong.writeUInt32LE(wav.readUInt32LE(at) + more, at);
    expect(isTruncated(wrong, "wav")).toBe(false);
    expect(isTruncated(wrong.subarray(0, -1), "wav")).toBe(true);
  });

  test.each([0xffff_ffff, 0x7fff_0000, 2_000_000_000, 0])(
    "is complete if %i stands for both lengths",
    (size) => {
      const streamed = Buffer.from(wav);
      for (const at of [4, dataSize]) streamed.writeUInt32LE(size, at);
      expect(isTruncated(streamed, "wav")).toBe(false);
    },
  );
});

test("a file of another format never counts as truncated, and no bytes cause an error", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 60 }),
      fc.constantFrom("gif", "bin", "toString", undefined),
      (bytes, ext) => {
        expect(isTruncated(bytes, ext)).toBe(false);
        for (const [known] of pictures) isTruncated(bytes, known);
      },
    ),
  );
});
