import { describe, expect, test } from "vitest";
import { createSanitizer, sanitize } from "../../src/output/text.ts";
import { control } from "../support/hostile.ts";
import { anyCharacter, fc, runs } from "../support/property.ts";

function streamed(pieces: readonly string[]): string {
  const sanitizer = createSanitizer();
  return [...pieces.map(sanitizer.add), sanitizer.end()].join("");
}

const cases: readonly (readonly [what: string, text: string, clean: string])[] = [
  ["colors", "a\x1b[1;31mb\x1b[0m", "ab"],
  ["colors in other notations", "a\x1b[38:2::1:2:3mb", "ab"],
  ["colors as 8-bit controls", "a\x9b31mb", "ab"],
  ["window titles", "a\x1b]0;own title\x07b", "ab"],
  ["links", "\x1b]8;;http://example.com/é\x1b\\link\x1b]8;;\x1b\\", "link"],
  ["clipboard writes as 8-bit controls", "a\x9d52;c;aGk=\x9cb", "ab"],
  ["device control", "a\x1bPq#0;2;0;0;0\x1b\\b", "ab"],
  ["application messages", "a\x1b_x\x1b\\\x1b^y\x1b\\\x1bXz\x1b\\b", "ab"],
  ["a reset", "a\x1bcb", "ab"],
  ["character set switches", "a\x1b(0b", "ab"],
  ["carriage returns, backspaces, bells and deletes", "a\rb\bc\x07d\x7fe", "abcde"],
  ["bidirectional overrides", "a\u202eb\u2066c\u2069", "abc"],
  ["bidirectional marks", "a\u061cb\u200ec\u200fd", "abcd"],
  ["line separators and byte order marks", "a\u2028b\u2029c\ufeffd", "abcd"],
];

describe("a terminal", () => {
  test.each(cases)("does not receive %s", (_what, text, clean) => expect(sanitize(text)).toBe(clean));

  test.each(cases)(
    "does not receive %s, split anywhere or into single characters",
    async (_what, text, clean) => {
      for (let cut = 0; cut <= text.length; cut += 1) {
        expect(streamed([text.slice(0, cut), text.slice(cut)])).toBe(clean);
      }
      expect(streamed(text.split(""))).toBe(clean);
    },
  );

  test("receives newlines, tabs, other scripts and emoji", () => {
    const text = "a\tb\n日本語 עברית 👨‍👩‍👧 é\n";
    expect(sanitize(text)).toBe(text);
  });

  test("receives text after an unterminated sequence", () => {
    expect(sanitize("a\x1b]0;title and all the rest")).toBe("a0;title and all the rest");
  });
});

/** Texts with complete and broken control sequences. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "\x1b",
        "[",
        "]",
        "P",
        "\\",
        "\x9b",
        "\x9d",
        "\x9c",
        "\x07",
        "\x18",
        "0",
        ";",
        "m",
        " ",
        "\n",
      ),
      fc.string({ unit: anyCharacter, maxLength: 3 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));

describe("any text", () => {
  test("has no control characters but newlines and tabs after sanitizing", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(sanitize(text)).not.toMatch(control);
      }),
    );
  });

  test("has the same sanitized text in pieces as in one piece, wherever it is split", async () => {
    await fc.assert(
      fc.asyncProperty(hostile, fc.array(fc.nat(6), { minLength: 1 }), async (text, sizes) => {
        const pieces: string[] = [];
        let at = 0;
        for (let turn = 0; at < text.length; turn += 1) {
          const size = Math.max(turn >= sizes.length ? 1 : 0, sizes[turn % sizes.length] ?? 1);
          pieces.push(text.slice(at, at + size));
          at += size;
        }
        expect(streamed(pieces)).toBe(sanitize(text));
      }),
      runs(1000),
    );
  });
});

describe("streamed text", () => {
  test("is passed on immediately unless a sequence is open", () => {
    const { add, end } = createSanitizer();
    expect(["one ", "two\x1b[3", "1m three"].map(add)).toEqual(["one ", "two", " three"]);
    expect(end()).toBe("");
  });

  test("is not held back forever by an unterminated sequence", () => {
    const { add } = createSanitizer();
    expect(add("\x1b]0;")).toBe("");
    const first = Array.from({ length: 50 }, () => add("x".repeat(100))).find((piece) => piece !== "");
    expect(first).toMatch(/^0;x+$/);
  });
});
