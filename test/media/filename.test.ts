import { createHash } from "node:crypto";
import { resolve, sep } from "node:path";
import { describe, expect, test } from "vitest";
import { UsageError } from "../../src/core/errors.ts";
import { DEFAULT_TEMPLATE, fileName, type NameValues, nameForId } from "../../src/media/filename.ts";
import { anyCharacter, fc, runs } from "../support/property.ts";

const date = new Date(2026, 10, 20, 9, 5, 7);
const given = { date, fallback: "picture", ext: "png" };
const cat = { ...given, prompt: "A cat, in the rain", seed: 42, index: 1, model: "SDXL1.0-base" };

test("the default name has the time, prompt, seed and number", () => {
  expect(fileName(DEFAULT_TEMPLATE, cat)).toBe("2026-11-20-090507-a-cat-in-the-rain-42-1.png");
});

test("every placeholder has its value", () => {
  expect(fileName("{date}|{time}|{slug}|{seed}|{index}|{model}|{ext}", cat)).toBe(
    "2026-11-20-090507|090507|a-cat-in-the-rain|42|1|SDXL1.0-base|png",
  );
});

test.each<[string, Partial<NameValues>, string]>([
  [DEFAULT_TEMPLATE, { seed: undefined }, "2026-11-20-090507-a-cat-in-the-rain-1.png"],
  [DEFAULT_TEMPLATE, { seed: undefined, index: undefined }, "2026-11-20-090507-a-cat-in-the-rain.png"],
  ["{seed}-{slug}.{ext}", { seed: undefined }, "a-cat-in-the-rain.png"],
  ["{seed}-{index}-{slug}.{ext}", { seed: undefined, index: undefined }, "a-cat-in-the-rain.png"],
  ["{slug}_{seed}.{ext}", { seed: undefined }, "a-cat-in-the-rain.png"],
  ["{seed}.{ext}", { seed: undefined }, "picture.png"],
  ["{seed}", { seed: undefined }, "picture"],
  ["{model}/{slug}.{ext}", { model: undefined }, "a-cat-in-the-rain.png"],
  [".{seed}./{slug}.{ext}", { seed: undefined }, "a-cat-in-the-rain.png"],
  ["{model}/", { model: undefined }, "picture"],
])("a placeholder without a value is removed with its separator: %s", (template, without, name) => {
  expect(fileName(template, { ...cat, ...without })).toBe(name);
});

test.each([
  ["Crème brûlée à la carte", "creme-brulee-a-la-carte"],
  ["Ｆｕｌｌ ｗｉｄｔｈ 𝔣𝔯𝔞𝔨𝔱𝔲𝔯", "full-width-fraktur"],
  ["夕暮れの灯台、カメラ", "夕暮れの灯台-カメラ"],
  ["Маяк на закате, ночь", "маяк-на-закате-ночь"],
  ["مصباح، غروب", "مصباح-غروب"],
  ["सूर्यास्त में प्रकाशस्तंभ", "सूर्यास्त-में-प्रकाशस्तंभ"],
  ["Straße nach Tromsø", "straße-nach-tromsø"],
  ["1️⃣ 猫", "1-猫"],
  ["猫\u{1d15e} 猫", "猫-猫"],
  ["猫".repeat(60), "猫".repeat(40)],
  ["𠮷".repeat(60), "𠮷".repeat(30)],
  ["कि".repeat(60), "कि".repeat(20)],
  ["🐈‍⬛ 🌧️", "picture"],
  ["\u3164\u115f", "picture"],
  ["../../etc/passwd", "etc-passwd"],
  ["  --  ", "picture"],
  ["{seed} in braces", "seed-in-braces"],
  ["an extremely detailed painting of a cathedral", "an-extremely-detailed-painting-of-a"],
  ["exactly forty characters are in this slug and more", "exactly-forty-characters-are-in-this"],
  ["a".repeat(60), "a".repeat(40)],
  [`a ${"b".repeat(60)}`, `a-${"b".repeat(38)}`],
  ["con", "con_"],
  ["LPT1", "lpt1_"],
])("the prompt %j becomes %s in the name", (prompt, slug) => {
  expect(fileName("{slug}.{ext}", { ...given, prompt })).toBe(`${slug}.png`);
});

test("a model name cannot create a folder, a hidden file or a drive", () => {
  expect(fileName("{model}.{ext}", { ...given, model: "../org/Model:v1\\x\0y" })).toBe(
    "org-Model-v1-x-y.png",
  );
});

test("the text of a template outside its placeholders is not changed", () => {
  expect(fileName("../out/.cats/{slug}.{ext}", cat)).toBe("../out/.cats/a-cat-in-the-rain.png");
  expect(fileName("/srv/aux/{seed}.{ext}", cat)).toBe("/srv/aux/42.png");
});

test("a negative seed keeps its sign", () => {
  expect(fileName("s{seed}.{ext}", { ...cat, seed: -7 })).toBe("s-7.png");
});

test("the error for an unknown placeholder names it and lists the known ones", () => {
  const attempt = () => fileName("{date}-{promt}.{ext}", cat);
  expect(attempt).toThrow(UsageError);
  expect(attempt).toThrow(/\{promt\}.*\{date\} \{time\} \{slug\} \{seed\} \{index\} \{model\} \{ext\}/);
});

test.each(["{slug.png", "slug}.png", "{}", "{constructor}", "{Slug}", "{{slug}}"])(
  "%s is not a valid template",
  (bad) => {
    expect(() => fileName(bad, cat)).toThrow(UsageError);
  },
);

const hostile = fc.option(
  fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.string({ unit: "grapheme" }),
    fc.constantFrom(
      "..",
      ".",
      "/",
      "\\",
      "con",
      "NUL",
      "com1.txt",
      "a\0b",
      "-",
      "/etc/passwd",
      "C:\\x",
      "{ext}",
      "\u202e",
    ),
  ),
  { nil: undefined },
);
const template = fc
  .array(fc.constantFrom("{date}", "{time}", "{slug}", "{seed}", "{index}", "{model}", "-", "_", "x", "."), {
    minLength: 1,
    maxLength: 8,
  })
  .map((parts) => `${parts.join("")}.{ext}`);

test("for any values the name is a single file name, valid on every system", () => {
  fc.assert(
    fc.property(
      fc.constant(DEFAULT_TEMPLATE),
      template,
      hostile,
      hostile,
      hostile,
      (defaultTemplate, own, prompt, model, seed) => {
        for (const pattern of [defaultTemplate, own]) {
          const name = fileName(pattern, { ...given, prompt, model, seed, fallback: prompt ?? "" });
          expect(resolve("/folder", name)).toBe(`${resolve("/folder")}${sep}${name}`);
          expect(name).toMatch(/^[\p{L}\p{M}\p{N}._+-]+$/u);
          expect(name).not.toMatch(/^\p{M}|\p{Default_Ignorable_Code_Point}/u);
          expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)|\.$/i);
          if (!pattern.startsWith(".")) expect(name).not.toMatch(/^\./);
        }
        const named = fileName(defaultTemplate, { ...given, prompt, model, seed, index: 64 });
        expect(Buffer.byteLength(named)).toBeLessThan(220);
      },
    ),
    runs(500),
  );
});

describe("the name for an ID", () => {
  const hashOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 12);

  test.each([
    ["can be a name", "shoe-17_v2.1", "shoe-17_v2.1"],
    ["is in another script", "кошка-438f260afebf", "кошка-438f260afebf"],
    ["is a path", "../a/b", /^a-b-[\da-f]{12}$/],
    ["is a device of Windows", "con", /^con-[\da-f]{12}$/],
    ["has no letters or digits", "?!", /^[\da-f]{12}$/],
    ["is long", "x".repeat(70), /^x{60}-[\da-f]{12}$/],
  ])("if the ID %s", (_case, id, name) => {
    expect(nameForId(id, hashOf)).toEqual(typeof name === "string" ? name : expect.stringMatching(name));
  });

  test("is a single file name, valid on every system, and differs from the names for other IDs", () => {
    const id = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 80 });
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.oneof(id, fc.constantFrom("con", "a", "A", "á", "../a", "a-")), { maxLength: 5 }),
        (ids) => {
          const names = ids.map((one) => nameForId(one, hashOf));
          expect(new Set(names).size).toBe(ids.length);
          for (const name of names) {
            expect(name).toMatch(/^[\p{L}\p{M}\p{N}._+-]+$/u);
            expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
            // Without the flag `i`, with which a combining iota would match the letter iota.
            expect(name).not.toMatch(/^[.\p{M}]|\.$/u);
            expect(Buffer.byteLength(name)).toBeLessThan(180);
          }
        },
      ),
      runs(200),
    );
  });
});

test("a name has no double dash, and no dash at its start or end, even if values are missing", () => {
  expect(fileName("{model}.{ext}", { ...given, model: "+- ㊱" })).toMatch(/^\+-36\./);
  const parts = fc.shuffledSubarray(["{date}", "{slug}", "{seed}", "{index}", "{model}"], { minLength: 1 });
  fc.assert(
    fc.property(parts, hostile, hostile, (names, prompt, model) => {
      const name = fileName(`${names.join("-")}.{ext}`, { ...given, prompt, model });
      expect(name).not.toMatch(/--|^-|-\./);
    }),
  );
});
