import { crc32, deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { exifPosition } from "../../src/media/settings/exif.ts";
import { readPngTexts } from "../../src/media/settings/png-text.ts";
import { readSettings } from "../../src/media/settings/read.ts";
import { isTruncated, maxParts } from "../../src/media/truncated.ts";

const pngSignature = Buffer.from("89504e470d0a1a0a", "hex");

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(data.length + 12);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, "latin1");
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4);
  return bytes;
}

/** A function that reads a part of a picture, and the number of its calls. */
function counting(picture: Buffer) {
  let count = 0;
  const read = (at: number, size: number) => {
    count += 1;
    return picture.subarray(at, at + size);
  };
  return { read, count: () => count };
}

const parts = 4 * maxParts;
const startOfJpeg = Buffer.from("ffd8ffe000104a46494600010100000100010000", "hex");
const filled = (...end: readonly number[]) =>
  Buffer.concat([startOfJpeg, Buffer.alloc(parts, 0xff), Buffer.from(end)]);

describe("only a limited number of the parts of a picture is read", () => {
  test.each([
    ["PNG", Buffer.concat([pngSignature, Buffer.alloc(12 * parts, chunk("tEXt", Buffer.alloc(0)))])],
    ["JPEG", filled()],
    ["WebP", Buffer.concat([Buffer.from("RIFF\0\0\0\0WEBPVP8 ", "latin1"), Buffer.alloc(8 * parts)])],
  ])("%s", (_format, picture) => {
    const { read, count } = counting(picture);
    expect(readSettings(read)).toHaveProperty("instead");
    expect(count()).toBeLessThanOrEqual(2 * maxParts + 10);
  });

  test.each([
    ["that ends", filled(0xd9), false],
    ["that is truncated", filled(), true],
  ])("when gpuctl saves a JPEG %s", (_what, picture, truncated) => {
    const { read, count } = counting(picture);
    expect(isTruncated({ length: picture.length, read, pngEnd: undefined }, "jpg")).toBe(truncated);
    exifPosition(read);
    expect(count()).toBeLessThanOrEqual(2 * maxParts + 10);
  });
});

test("texts of a PNG that are not settings are not decompressed", () => {
  const bomb = deflateSync(Buffer.alloc(1024 * 1024, "x"));
  const bombs = Array.from({ length: 20 }, (_, at) =>
    chunk("zTXt", Buffer.concat([Buffer.from(`text ${at}\0\0`), bomb])),
  );
  const settings = chunk("tEXt", Buffer.from("parameters\0cat\nSteps: 20"));
  const { read } = counting(Buffer.concat([pngSignature, ...bombs, settings]));
  const texts = [...readPngTexts(read).values()];
  expect(texts.filter((text) => text !== "")).toEqual(["cat\nSteps: 20"]);
  expect(readSettings(read)).toMatchObject({ request: { prompt: "cat", steps: 20 } });
});

test("an error names only the first texts of a PNG", () => {
  const many = Array.from({ length: 1000 }, (_, at) => chunk("tEXt", Buffer.from(`text ${at}\0x`)));
  expect(readSettings(counting(Buffer.concat([pngSignature, ...many])).read)).toEqual({
    instead: `only the texts ${Array.from({ length: 10 }, (_, at) => `text ${at}`).join(", ")} and others`,
  });
});

test("an unclosed LoRA with many digits in its weight is read quickly", { timeout: 2000 }, () => {
  const prompt = `<lora:a:${"1".repeat(40_000)}`;
  const png = Buffer.concat([pngSignature, chunk("tEXt", Buffer.from(`parameters\0${prompt}\nSteps: 1`))]);
  expect(readSettings(counting(png).read)).toMatchObject({ request: { prompt } });
});
