import { expect, test } from "vitest";
import { Base64Decoder, decoderSlack } from "../../src/media/base64.ts";
import { anyCharacter, fc } from "../support/property.ts";

/** The bytes that a base64 text encodes, or why the text is not base64. */
function decoded(text: string): Buffer | string {
  const part = Buffer.from(text).toString("latin1");
  const bytes = Buffer.alloc(part.length + decoderSlack);
  const decoder = new Base64Decoder();
  const start = decoder.decode(part, bytes, 0);
  if (start === undefined) return "refused";
  const end = decoder.end(bytes, start);
  return typeof end === "string" ? end : bytes.subarray(0, start + end);
}

const someBytes = fc.uint8Array({ minLength: 1, maxLength: 300 });
const spellings: Record<string, (bytes: Buffer) => string> = {
  standard: (bytes) => bytes.toString("base64"),
  "URL-safe without padding": (bytes) => bytes.toString("base64url"),
  "standard without padding": (bytes) => bytes.toString("base64").replace(/=+$/, ""),
  "lines of 76 characters": (bytes) => bytes.toString("base64").replace(/.{76}/g, "$&\r\n").concat("\n"),
  "a data URL": (bytes) => `data:image/png;base64,${bytes.toString("base64")}`,
  "a data URL with parameters": (bytes) =>
    ` DATA:audio/ogg;codecs=opus;BASE64,\n${bytes.toString("base64url")}`,
};

test.each(Object.entries(spellings))("base64 is decoded: %s", (_, spell) => {
  fc.assert(
    fc.property(someBytes, (bytes) => {
      expect(decoded(spell(Buffer.from(bytes)))).toEqual(Buffer.from(bytes));
    }),
  );
});

test.each([
  ["an empty text", ""],
  ["only blanks", " \r\n\t"],
  ["a data URL with nothing in it", "data:image/png;base64,"],
  ["only padding", "=="],
  ["too much padding", "AAAA="],
  ["three padding characters", "A==="],
  ["padding in the middle", "AAA=AAAA"],
  ["one symbol too many", "AAAAA"],
  ["a letter of another alphabet", "AA\u0141A"],
  ["a data URL that is not base64", "data:text/plain,hello"],
  ["an error message", "Internal error: no GPU"],
])("%s is rejected", (_, text) => {
  expect(decoded(text)).toBeTypeOf("string");
});

test("one invalid character anywhere rejects the whole text", () => {
  const invalidCharacter = fc
    .string({ unit: anyCharacter, minLength: 1, maxLength: 1 })
    .filter((c) => !/[\w+/=\s-]/.test(c));
  fc.assert(
    fc.property(someBytes, invalidCharacter, fc.nat(), (bytes, character, position) => {
      const text = Buffer.from(bytes).toString("base64").replace(/=+$/, "");
      const at = position % (text.length + 1);
      expect(decoded(text.slice(0, at) + character + text.slice(at))).toBeTypeOf("string");
    }),
  );
});

test("a large image is decoded completely", () => {
  const picture = Buffer.alloc(8 * 1024 * 1024, "a picture of many bytes");
  const bytes = decoded(picture.toString("base64"));
  expect(typeof bytes === "object" && bytes.equals(picture)).toBe(true);
});
