import { describe, expect, test } from "vitest";
import { cutText, requestedTexts } from "../../src/commands/tts/cut.ts";
import { fc, runs } from "../support/property.ts";

const cut = (text: string, limit: number) => [...cutText(text, limit)];

const words = new Intl.Segmenter("en", { granularity: "word" });
const wordsIn = (text: string) =>
  [...words.segment(text)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);

describe("a long text for tts", () => {
  test("is split where sentences end", () => {
    const text = 'She said "Stop!" and left. It costs 3.50 dollars. Is it ready? Yes.';
    expect(cut(text, 30)).toEqual([
      'She said "Stop!" ',
      "and left. ",
      "It costs 3.50 dollars. ",
      "Is it ready? Yes.",
    ]);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "is split between paragraphs rather than between sentences (%i)",
    (n) => {
      const text = `One two three. Four five six ${n}.\n\nSeven eight ${n}. Nine ten eleven. Twelve.`;
      expect(cut(text, 48)[0]).toBe(`One two three. Four five six ${n}.\n\n`);
    },
  );

  test("is not split after a short paragraph, such as a title", () => {
    const text = "Title.\n\nOne two three four five. Six seven eight nine ten eleven.";
    expect(cut(text, 40)[0]).toBe("Title.\n\nOne two three four five. ");
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])("is not split at a line break in a sentence (%i)", (n) => {
    const text = `This is sentence number ${n}, which goes on\nhere. Here is another one.`;
    expect(cut(text, 50)[0]).toBe(`This is sentence number ${n}, which goes on\nhere. `);
  });

  test("is split inside a sentence that is too long, at line breaks and then between words", () => {
    expect(cut("one two three\nfour five six\nseven", 16)).toEqual([
      "one two three\n",
      "four five six\n",
      "seven",
    ]);
    for (const part of cut("one two three four five six seven eight nine", 12)) {
      expect(part).toMatch(/^(\w+ ?)+$/);
    }
  });

  test("is split between words even if it has no spaces", () => {
    const text = "私は東京に住んでいて毎日電車で会社に行っています".repeat(3);
    const parts = cut(text, 20);
    expect(parts.flatMap(wordsIn)).toEqual(wordsIn(text));
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(20);
  });

  test("is split so that a word that is too long becomes a part of its own", () => {
    const word = "a".repeat(1000);
    expect(cut(`b ${word} c d`, 20)).toEqual(["b ", `${word} `, "c d"]);
  });

  test("differs in only a few parts after a change", () => {
    const sentence = (n: number) => `Sentence ${n} says ${"something ".repeat(1 + (n % 7))}here. `;
    const text = Array.from({ length: 300 }, (_, n) => sentence(n)).join("");
    const changed = text.replace("Sentence 10 says", "Sentence 10, which was changed by its author, says");
    const before = new Set(cut(text, 400));
    const fresh = cut(changed, 400).filter((part) => !before.has(part));
    expect(before.size).toBeGreaterThan(30);
    expect(fresh.length).toBeLessThanOrEqual(8);
  });

  test("is requested without its parts that have no words, but a text of a single part is always requested", () => {
    expect(requestedTexts(`One sentence is here. ${"* ".repeat(40)} And one there.`, 25)).toEqual([
      "One sentence is here.",
      expect.stringMatching(/And one there\.$/),
    ]);
    expect(() => requestedTexts("-".repeat(50), 20)).toThrow("TEXT has no words to speak");
    expect(requestedTexts(" --- ", 20)).toEqual([" --- "]);
  });
});

describe("for any text and part length", () => {
  const pieces = fc.constantFrom(
    "Dr. ",
    "it's ",
    "3.14 ",
    "end. ",
    "Why?! ",
    "“so,” ",
    "a\nb ",
    "x.\r\n\r\n",
    "日本語。",
    "ไทย",
    "👩‍👩‍👧 ",
    "e\u0301te\u0301 ",
    "long-word, ",
    "    ",
    "http://a.example/b?c ",
  );
  const texts = fc.oneof(
    fc.array(pieces, { maxLength: 80 }).map((list) => list.join("")),
    fc.string({ unit: "grapheme", maxLength: 300 }),
  );
  const limits = fc.integer({ min: 20, max: 120 });

  test("the parts together are the text, and no word is split", () => {
    fc.assert(
      fc.property(texts, limits, (text, limit) => {
        const parts = cut(text, limit);
        expect(parts.join("")).toBe(text);
        expect(parts.flatMap(wordsIn)).toEqual(wordsIn(text));
        for (const part of parts) {
          if (part.trim().length > limit) expect(part.trim()).not.toMatch(/\s/);
        }
      }),
      runs(200),
    );
  });
});
