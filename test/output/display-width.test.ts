import { describe, expect, test } from "vitest";
import { clip, displayWidth } from "../../src/output/display-width.ts";
import { fc } from "../support/property.ts";

describe("the width of a text", () => {
  test.each([
    ["plain", 5],
    ["", 0],
    ["日本語", 6],
    ["한국어", 6],
    ["ＡＢ", 4],
    ["ｱｲ", 2],
    ["e\u0301", 1],
    ["สวัสดี", 4],
    ["🚀", 2],
    ["👨‍👩‍👧", 2],
    ["🇩🇪", 2],
    ["❤️", 2],
    ["🫠", 2],
    ["👍🏽", 2],
    ["\u200b", 0],
    ["©", 1],
    ["„x“", 3],
  ])("%s is %i", (text, columns) => expect(displayWidth(text, 100)).toBe(columns));

  test("is the limit for a huge text, which is not measured to its end", () => {
    expect(displayWidth("漢".repeat(1_000_000), 80)).toBe(80);
    expect(displayWidth(`e${"\u0301".repeat(1_000_000)}`, 80)).toBe(80);
  });
});

describe("a clipped text", () => {
  test.each([
    ["日本語", 6, "日本語"],
    ["日本語", 5, "日本…"],
    ["日本語", 4, "日…"],
    ["ab👨‍👩‍👧cd", 4, "ab…"],
    ["abc", 1, "…"],
  ])("%s in %i columns is %s", (text, columns, shown) => expect(clip(text, columns)).toBe(shown));

  test("fits, and is the text or its beginning", () => {
    const any = fc.string({ unit: fc.constantFrom("a", "漢", "🚀", "👨‍👩‍👧", "e\u0301", "\u200b") });
    fc.assert(
      fc.property(any, fc.integer({ min: 1, max: 12 }), (text, columns) => {
        const shown = clip(text, columns);
        expect(displayWidth(shown, 100)).toBeLessThanOrEqual(columns);
        expect(text.startsWith(shown.replace(/…$/, ""))).toBe(true);
      }),
    );
  });
});
