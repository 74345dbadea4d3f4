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
