import { createHash } from "node:crypto";
import { decode, encode } from "fast-png";
import { expect, test } from "vitest";
import { storedSettings } from "../../src/media/settings/parameters.ts";
import { chunksOf, readPngText, readRequest, withPngText } from "../support/png-text.ts";
import { fc } from "../support/property.ts";

const data = Uint8Array.from({ length: 4 * 3 * 4 }, (_, index) => (index * 37) % 256);
const picture = encode({ width: 4, height: 3, channels: 4, data, text: { Software: "another" } });
const typesOf = (png: Uint8Array) => chunksOf(png).map(({ type }) => type);
const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.lorem(),
  fc.constantFrom("🐈 in\nthe rain", "naïve\tcafé", "\u0085"),
);

test("texts are read back as written, including emoji and newlines, and the pixels are unchanged", () => {
  fc.assert(
    fc.property(
      text,
      fc.dictionary(fc.string(), fc.jsonValue({ noUnicodeString: false })),
      (prompt, rest) => {
        const parameters = prompt.replaceAll("\0", "");
        const { image: _, lora: __, ...others } = rest;
        const request = JSON.parse(JSON.stringify({ ...others, prompt }));
        const marked = withPngText(picture, request, "1");
        const texts = readPngText(marked);
        expect(texts.parameters?.startsWith(`${parameters}\n`)).toBe(true);
        expect(texts.Software).toBe("another");
        expect(readRequest(marked)).toEqual(request);
        // An independent reader accepts every checksum and finds the same pixels.
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

test("the parameters are in tEXt if they are Latin-1, and otherwise in iTXt; the request is always in iTXt", () => {
  const latin = withPngText(picture, { prompt: "café", steps: 20 }, "1");
  expect(typesOf(latin).slice(-3)).toEqual(["tEXt", "iTXt", "IEND"]);
  expect(decode(latin).text.parameters).toBe("café\nSteps: 20, Version: 1");
  const wide = withPngText(picture, { prompt: "猫" }, "1");
  expect(typesOf(wide).slice(-3)).toEqual(["iTXt", "iTXt", "IEND"]);
});

test("only a hash of the reference image is stored", async () => {
  const image = Buffer.from("reference picture").toString("base64");
  const sha256 = createHash("sha256").update("reference picture").digest("hex");
  const request = { prompt: "cat", image };
  const marked = withPngText(picture, await storedSettings(request), "1");
  expect(readRequest(marked)).toEqual({ prompt: "cat", image: `sha256:${sha256}` });
  expect(Buffer.from(marked).includes(image)).toBe(false);
  expect(request.image).toBe(image);
});

test("a NUL in a prompt does not truncate the text", () => {
  const marked = withPngText(picture, { prompt: "a\0b" }, "1");
  expect(readPngText(marked).parameters).toBe("a\ufffdb\nVersion: 1");
  expect(readRequest(marked)).toEqual({ prompt: "a\0b" });
});
