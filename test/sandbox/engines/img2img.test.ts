import { crc32, deflateSync } from "node:zlib";
import { encode } from "fast-png";
import { describe, expect, test } from "vitest";
import { UnreadableReference } from "../../../src/sandbox/engines/picture/request.ts";
import { encodeJpeg } from "../../media/jpeg.ts";
import { aboveMark, distance, draw, small } from "./pictures.ts";

const width = 80;
const height = 60;
const channels = (count: number, at: (x: number, y: number, part: number) => number) =>
  Uint8Array.from({ length: width * height * count }, (_, index) => {
    const pixel = Math.floor(index / count);
    return at(pixel % width, Math.floor(pixel / width), index % count);
  });
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

const ramp = channels(3, (x, y, part) => [x * 3, y * 4, 128][part] ?? 0);
const png = base64(encode({ width, height, data: ramp, channels: 3 }));
const same = { ...small, width, height };
/** Draws a reference with strength 0, in its own size. Returns the pixels above the mark. */
const asDrawn = async (image: string) => aboveMark(await draw({ ...same, image, strength: 0 }));
const wanted = aboveMark({ width, height, data: ramp });

test("strength 0 returns the reference, except for the SANDBOX mark", async () => {
  expect(distance(await asDrawn(png), wanted)).toBe(0);
});

test("a reference of another size is stretched to the image size", async () => {
  const drawn = await draw({ image: png, strength: 0 });
  const expected = Uint8Array.from(drawn.data, (_, index) => {
    const pixel = Math.floor(index / 3);
    const [x, y] = [(pixel % 160) / 2 - 0.25, Math.floor(pixel / 160) / 2 - 0.25];
    return [x * 3, y * 4, 128][index % 3] ?? 0;
  });
  expect(distance(aboveMark(drawn), aboveMark({ ...drawn, data: expected }))).toBeLessThan(2);
});

test("with a higher strength, the image is less like the reference and more like a new image", async () => {
  const fresh = aboveMark(await draw(same));
  const distances = [];
  for (const strength of [0, 0.25, 0.5, 0.75, 1]) {
    const drawn = aboveMark(await draw({ ...same, image: png, strength }));
    distances.push({ old: distance(drawn, wanted), fresh: distance(drawn, fresh) });
  }
  for (const [at, { old, fresh }] of distances.entries()) {
    const before = distances[at - 1];
    if (before === undefined) continue;
    expect(old).toBeGreaterThan(before.old);
    expect(fresh).toBeLessThan(before.fresh);
  }
  expect(distances.at(-1)?.fresh).toBeLessThan(10);
});

test("the default strength is 0.75", async () => {
  const usual = aboveMark(await draw({ image: png }));
  expect(distance(usual, aboveMark(await draw({ image: png, strength: 0.5 })))).toBeGreaterThan(0);
  expect(distance(usual, aboveMark(await draw({ image: png, strength: 0.75 })))).toBe(0);
});

describe("a reference can be", () => {
  test("a JPEG", async () => {
    const rgba = channels(4, (x, y, part) => [x * 3, y * 4, 128, 255][part] ?? 0);
    const jpeg = base64(await encodeJpeg(width, height, rgba, 95));
    expect(distance(await asDrawn(jpeg), wanted)).toBeLessThan(3);
  });

  test("a WebP", async () => {
    // 2 x 1 pixels, lossless: red, blue.
    const webp = "UklGRh4AAABXRUJQVlA4TBEAAAAvAQAAAA8Q87//8x8OMqL/AQA=";
    const { data } = await draw({ ...same, image: webp, strength: 0 });
    expect([...data.subarray(0, 3)]).toEqual([255, 0, 0]);
    expect([...data.subarray(width * 3 - 3, width * 3)]).toEqual([0, 0, 255]);
  });

  test("a PNG with transparency, which is drawn over white", async () => {
    const rgba = channels(4, (_x, _y, part) => [255, 0, 0, 128][part] ?? 0);
    const [red, green, blue] = await asDrawn(base64(encode({ width, height, data: rgba, channels: 4 })));
    expect([red, green, blue]).toEqual([255, 127, 127]);
  });

  test("a 16-bit gray PNG", async () => {
    const data = new Uint16Array(width * height).fill(0x8000);
    const grey = encode({ width, height, data, channels: 1, depth: 16 });
    expect([...(await asDrawn(base64(grey))).subarray(0, 3)]).toEqual([128, 128, 128]);
  });

  test("a two-color PNG or a PNG with a palette", async () => {
    const bits = new Uint8Array((width / 8) * height).fill(0b10101010);
    const shades = encode({ width, height, data: bits, channels: 1, depth: 1 });
    expect([...(await asDrawn(base64(shades))).subarray(0, 6)]).toEqual([255, 255, 255, 0, 0, 0]);
    const palette = [
      [10, 20, 30],
      [40, 50, 60],
    ];
    const colored = encode({ width, height, data: channels(1, (x) => x % 2), channels: 1, palette });
    expect([...(await asDrawn(base64(colored))).subarray(0, 6)]).toEqual([10, 20, 30, 40, 50, 60]);
  });
});

describe("a reference is rejected if it is", () => {
  const bytes = Buffer.from(png, "base64");
  const flipped = Buffer.from(bytes);
  const checksum = bytes.indexOf("IEND") - 5;
  flipped[checksum] = (flipped[checksum] ?? 0) ^ 1;
  const huge = Buffer.from(bytes);
  huge.writeUInt32BE(1_000_000, 16);
  huge.writeUInt32BE(1_000_000, 20);
  // A frame header (SOF0) with height and width at their maximum.
  const hugeJpeg = Buffer.from("ffd8ffc0001108ffffffff03012200021101031101", "hex");
  test.each([
    ["empty", ""],
    ["not base64", "no picture at all"],
    ["a data URL", `data:image/png;base64,${png}`],
    ["not a picture", base64(Buffer.from("just a text"))],
    ["a truncated PNG", base64(bytes.subarray(0, 60))],
    ["only the signature of a PNG", base64(bytes.subarray(0, 8))],
    ["a PNG with a wrong checksum of its pixels", base64(flipped)],
    ["a PNG that claims a million by a million pixels", base64(huge)],
    ["a JPEG that claims 65535 by 65535 pixels", base64(hugeJpeg)],
    ["a truncated JPEG", base64(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]))],
    ["a truncated WebP", base64(Buffer.from("RIFF\0\0\0\0WEBPVP8 "))],
  ])("%s", async (_what, image) => {
    const error = await draw({ ...same, image }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnreadableReference);
    expect(error).toMatchObject({
      name: "UnreadableReference",
      message: expect.stringMatching(/^The reference/),
    });
  });
});

function chunkOf(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, "latin1");
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}

/** The parts of a small PNG: its signature and header, its pixels, its end. */
const [header, pixels, end] = ((bytes) => [
  bytes.subarray(0, 33),
  bytes.subarray(33, -12),
  bytes.subarray(-12),
])(Buffer.from(png, "base64")) as [Buffer, Buffer, Buffer];

test("a PNG that inflates to more bytes than its pixels need is refused before all of it is inflated", async () => {
  const data = deflateSync(Buffer.alloc(96 * 1024 * 1024), { level: 1 });
  const before = process.memoryUsage().arrayBuffers;
  const bomb = base64(Buffer.concat([header, chunkOf("IDAT", data), end]));
  const error = await draw({ ...same, image: bomb }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UnreadableReference);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
});

test("the color profile of a PNG is not inflated", async () => {
  const profile = chunkOf("iCCP", Buffer.from("name\0\0not deflated", "latin1"));
  const reference = base64(Buffer.concat([header, profile, pixels, end]));
  expect(distance(await asDrawn(reference), wanted)).toBe(0);
});

test("a PNG with two headers is refused, because the second could declare more pixels", async () => {
  const second = header.subarray(8);
  const error = draw({ ...same, image: base64(Buffer.concat([header, second, pixels, end])) });
  await expect(error).rejects.toThrow("The reference PNG cannot be read: it needs one header, at its start");
});

/** The start of a PNG that declares this size, depth and interlacing. */
function pngStart(side: number, depth: number, interlace: number): string {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([depth, 6, 0, 0, interlace], 8);
  const chunk = Buffer.concat([Buffer.from("IHDR"), header]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(13, 0);
  ends.writeUInt32BE(crc32(chunk), 4);
  const start = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return base64(Buffer.concat([start, ends.subarray(0, 4), chunk, ends.subarray(4)]));
}

test.each([
  [8193, 8, 0, true],
  [8192, 8, 0, false],
  [4097, 8, 1, true],
  [4097, 16, 0, true],
  [8192, 16, 1, true],
  [4096, 16, 1, false],
])(
  "a PNG of %i pixels a side, %i bits and interlacing %i is too large: %s",
  async (side, depth, interlace, tooLarge) => {
    const message = await draw({ ...same, image: pngStart(side, depth, interlace) }).catch(String);
    expect(message).toContain("UnreadableReference");
    expect(String(message).includes("is too large")).toBe(tooLarge);
  },
);
