import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { decode, encode } from "fast-png";
import { expect, test } from "vitest";
import { addPngText, chunk, chunksOf, readPngText, readRequest } from "../../src/media/png-text.ts";

const data = Uint8Array.from({ length: 4 * 3 * 4 }, (_, index) => (index * 37) % 256);
const picture = encode({ width: 4, height: 3, channels: 4, data, text: { Software: "another" } });
const typesOf = (png: Uint8Array) => [...chunksOf(png)].map(({ type }) => type);
/** The picture with one more chunk before its end. */
const withChunk = (extra: Uint8Array) =>
  Buffer.concat([picture.subarray(0, -12), extra, picture.subarray(-12)]);

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.lorem(),
  fc.constantFrom("🐈 in\nthe rain", "naïve\tcafé", "\u0085"),
);

test("texts come back as written, emoji and new lines too, and the pixels are untouched", () => {
  fc.assert(
    fc.property(
      text,
      fc.dictionary(fc.string(), fc.jsonValue({ noUnicodeString: false })),
      (prompt, rest) => {
        const parameters = prompt.replaceAll("\0", "");
        const { image: _, ...others } = rest;
        const request = JSON.parse(JSON.stringify({ ...others, prompt }));
        const marked = addPngText(picture, { parameters, request });
        const texts = readPngText(marked);
        expect(texts.parameters).toBe(parameters);
        expect(texts.Software).toBe("another");
        expect(readRequest(marked)).toEqual(request);
        // An independent reader that checks every checksum.
        const seen = decode(marked, { checkCrc: true });
        expect(seen.data).toEqual(data);
        expect(
          Buffer.from(marked)
            .subarray(0, picture.length - 12)
            .equals(picture.subarray(0, -12)),
        ).toBe(true);
        expect(Buffer.from(marked).subarray(-12).equals(picture.subarray(-12))).toBe(true);
      },
    ),
  );
});

test("latin-1 goes where every tool looks, anything else where UTF-8 may stand", () => {
  const latin = addPngText(picture, { parameters: "café\nSteps: 20", request: {} });
  expect(typesOf(latin).slice(-3)).toEqual(["tEXt", "iTXt", "IEND"]);
  expect(decode(latin).text.parameters).toBe("café\nSteps: 20");
  const wide = addPngText(picture, { parameters: "猫", request: {} });
  expect(typesOf(wide).slice(-3)).toEqual(["iTXt", "iTXt", "IEND"]);
});

test("the picture that was sent is kept as its fingerprint only", () => {
  const image = Buffer.from("reference picture").toString("base64");
  const sha256 = createHash("sha256").update("reference picture").digest("hex");
  const request = { prompt: "cat", image };
  const marked = addPngText(picture, { parameters: "cat", request });
  expect(readRequest(marked)).toEqual({ prompt: "cat", image: `sha256:${sha256}` });
  expect(Buffer.from(marked).includes(image)).toBe(false);
  expect(request.image).toBe(image);
  const again = addPngText(picture, { parameters: "cat", request: readRequest(marked) as typeof request });
  expect(readRequest(again)).toEqual(readRequest(marked));
});

test("a NUL in a prompt does not cut the text", () => {
  const marked = addPngText(picture, { parameters: "a\0b", request: { prompt: "a\0b" } });
  expect(readPngText(marked).parameters).toBe("a\ufffdb");
  expect(readRequest(marked)).toEqual({ prompt: "a\0b" });
});

test.each([
  ["a JPEG", Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)],
  ["nothing", new Uint8Array()],
  ["a PNG whose end is missing", picture.subarray(0, -5)],
])("%s comes back as it is, and has no request", (_, bytes) => {
  expect(addPngText(bytes, { parameters: "cat", request: {} })).toBe(bytes);
  expect(readRequest(bytes)).toBeUndefined();
});

test("a picture of others has no request, even where it has texts", () => {
  expect(readPngText(picture)).toEqual({ Software: "another" });
  expect(readRequest(picture)).toBeUndefined();
  expect(readRequest(withChunk(chunk("iTXt", Buffer.from("gpuctl\0\0\0\0\0{not json"))))).toBeUndefined();
});

test("packed text of other tools is read, with its language", () => {
  const packed = Buffer.concat([Buffer.from("Title\0\x01\0en\0Titel\0"), deflateSync("Katze 🐈")]);
  expect(readPngText(withChunk(chunk("iTXt", packed))).Title).toBe("Katze 🐈");
});

test("a damaged, cut or bloated text is passed over", () => {
  const damaged = chunk("tEXt", Buffer.from("Title\0cat"));
  damaged.writeUInt8(0x20, 10);
  const bomb = Buffer.concat([Buffer.from("Title\0\x01\0\0\0"), deflateSync(Buffer.alloc(20 * 1024 * 1024))]);
  for (const extra of [
    damaged,
    chunk("iTXt", Buffer.from("Title\0\0\0en")),
    chunk("iTXt", bomb),
    chunk("tEXt", Buffer.from("Title")),
  ]) {
    expect(readPngText(withChunk(extra))).toEqual({ Software: "another" });
  }
});

test("a hostile keyword is a keyword", () => {
  const texts = readPngText(withChunk(chunk("tEXt", Buffer.from("__proto__\0cat"))));
  expect(Object.entries(texts)).toContainEqual(["__proto__", "cat"]);
});

test("any bytes are read without a fault, damaged pictures too", () => {
  const marked = addPngText(picture, { parameters: "cat", request: { prompt: "cat" } });
  fc.assert(
    fc.property(
      fc.nat(marked.length - 1),
      fc.integer({ min: 0, max: 255 }),
      fc.nat(marked.length),
      (at, byte, end) => {
        const broken = Uint8Array.from(marked).subarray(0, end);
        if (at < end) broken[at] = byte;
        readPngText(broken);
        readRequest(broken);
        addPngText(broken, { parameters: "cat", request: {} });
      },
    ),
  );
});
