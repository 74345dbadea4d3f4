import { describe, expect, test } from "vitest";
import { didYouMean, nearest } from "../../src/core/text.ts";
import { fc } from "../support/property.ts";

describe("the nearest name", () => {
  const word = fc.string({ minLength: 4, maxLength: 12, unit: fc.constantFrom(..."abcdef") });

  test("is found after a single typo", () => {
    fc.assert(
      fc.property(word, fc.nat(), fc.constantFrom("add", "drop", "swap", "change"), (meant, seed, slip) => {
        const at = seed % (meant.length - 1);
        const [before, letter, after] = [meant.slice(0, at), meant[at] ?? "", meant.slice(at + 1)];
        const typed = {
          add: `${before}z${letter}${after}`,
          drop: before + after,
          swap: before + (after[0] ?? "") + letter + after.slice(1),
          change: `${before}z${after}`,
        }[slip];
        expect(nearest(typed, ["quite-another", meant])).toEqual([meant]);
      }),
    );
  });

  test("is a name that differs only in case and in dashes at its start", () => {
    fc.assert(
      fc.property(word, (meant) => {
        expect(nearest(`--${meant.toUpperCase()}`, ["quite-another", meant])).toEqual([meant]);
      }),
    );
  });

  test("can be several or none", () => {
    expect(didYouMean("eu-west-3", ["eu-west-1", "eu-west-2", "us-east-1"])).toBe(
      " (Did you mean eu-west-1 or eu-west-2?)",
    );
    expect(didYouMean("nope", ["name", "type"])).toBe("");
    expect(didYouMean("anything", [])).toBe("");
  });
});
