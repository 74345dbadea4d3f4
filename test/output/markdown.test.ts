import { Lexer } from "marked";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { displayWidth } from "../../src/output/display-width.ts";
import { createMarkdownDrawer } from "../../src/output/markdown/draw.ts";
import { longWordFinder } from "../../src/output/markdown/long-word.ts";
import { fc, runs } from "../support/property.ts";
import { everyNth } from "../support/thorough.ts";

interface Options {
  readonly width?: number | (() => number);
  readonly color?: boolean;
}

/** What a terminal gets when Markdown arrives in these pieces. */
async function drawn(
  pieces: readonly string[],
  { width = 80, color = false }: Options = {},
): Promise<string> {
  const drawer = createMarkdownDrawer({ width: typeof width === "number" ? () => width : width, color });
  let all = "";
  for (const piece of pieces) all += await drawer.add(piece);
  return all + (await drawer.end());
}

/** The processor time of this process, in milliseconds. Unlike the clock, it does not depend on other processes. */
function busyTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Splits a text at these places. A place beyond the end of the text wraps around to its start. */
function cut(text: string, places: readonly number[]): readonly string[] {
  const at = [0, ...places.map((place) => place % (text.length + 1)).sort((a, b) => a - b), text.length];
  return at.slice(1).map((end, index) => text.slice(at[index], end));
}

const plain = (text: string): string => text.replace(/\x1b\[[\d;]*m/g, "");

const blocks = [
  "# Choosing a *GPU*",
  "Underlined\n===",
  "A 70B model in **bf16** needs about *140 GB*, 2 * 3 and snake_case_names and `code with *stars*` in it. It has ~5 parts.",
  "An open **mark that never ends, and an open `tick and a [bracket in a long paragraph that goes on.",
  "See [the guide](https://example.com/guide) or <https://example.com/faq>, ![a chart](https://example.com/c.png).",
  "- one\n- two **bold**\n  - nested item that is long enough to be wrapped somewhere around here\n    continued\n- [x] done",
  "- [x] done\n\n- [ ] left\n\n  a second paragraph",
  "3. three\n4. four\n   ```sh\n   ls -l\n   ```\n5. five\n\n   a second paragraph",
  "```python\ndef f(a):\n    return 'x'  # *not* emphasis\n\n\n    # | not | a table |\n```",
  "~~~\nno language\n\n~~~",
  "```js\nunfinished('",
  "> A quote\n> with `code`\n>\n> - and a list",
  "| GPU | Price |\n|:--|--:|\n| H100 | **$2.10** |\n| 二枚必要 | 🚀 |",
  "Text before\n| a | b |\n|---|---|\n| 1 | 2 |",
  "日本語の段落も正しく折り返される必要があります。全角文字は二列を占めるので、幅の計算を間違えると行がずれてしまいます。",
  "---",
  "one<br>two &amp; &lt;three&gt; \\*four\\*",
  "<details>\n<summary>More</summary>\n</details>",
  "    indented code",
  '```python\ndef area(r):\n    """Area.\n\n    ```\n    area(2)\n    ```\n    """\n    return r * r\n```',
  "1. Send the header with\n   <YOUR-KEY> as the value,\n   never in the URL.\n2. Check it.",
  "- Press\n  <kbd>Ctrl</kbd>+<kbd>C</kbd> to stop it,\n  then wait.",
  "- Open\n  <project-root>\n  and edit it.\n\n  <b>\n",
  '- [1]: https://arxiv.org/abs/2106.09685 "LoRA: Low-Rank Adaptation of Large Language Models"\n- [2]: https://arxiv.org/abs/2305.14314 "QLoRA"',
  '> [1]: https://arxiv.org/abs/2106.09685 "LoRA: Low-Rank Adaptation of Large Language Models"',
  "[1]: https://example.com/ref",
  "GPU type | Price | Count\n--- | --- | ---\nH100 | $2.10 | 8",
  "- item\n- GPU | Price\n  :-- | --:\n  H100 | $2.10\n- last",
  "> GPU | Price\n> --- | ---\n> H100 | $2.10",
  "The chance P(A|B) is not P(B|A), and `a | b` is a pipe.",
  "It takes 3~5 hours, or 10~20 *minutes* in total.",
] as const;

const document = fc
  .array(fc.record({ block: fc.constantFrom(...blocks), gap: fc.constantFrom("\n\n", "\n\n\n") }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => parts.map(({ block, gap }) => block + gap).join(""));

describe("Markdown that streams", () => {
  test.each(blocks)("looks the same as a whole and in single characters: %s", async (block) => {
    for (const color of [false, true]) {
      const whole = await drawn([block], { color });
      expect(plain(await drawn([...block], { color }))).toBe(plain(whole));
    }
  });

  test("keeps the numbers of a list that starts at 0", async () => {
    expect(plain(await drawn(["0. zero\n1. one\n"]))).toBe("0. zero\n1. one\n");
  });

  test.each(["- [x] done\n- [ ] left\n", "- [x] done\n\n- [ ] left\n"])(
    "shows each box of a task list once: %j",
    async (list) => {
      const whole = plain(await drawn([list]));
      expect(whole.match(/\[.\]/g)).toEqual(["[x]", "[ ]"]);
      expect(plain(await drawn([...list]))).toBe(whole);
    },
  );

  test("looks the same wherever it is cut into pieces", () =>
    fc.assert(
      fc.asyncProperty(document, fc.array(fc.nat(), { maxLength: 40 }), async (text, places) => {
        expect(await drawn(cut(text, places))).toBe(await drawn([text]));
      }),
      runs(200),
    ));

  test("never loses or repeats a word of a text without tables, however the window is resized", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.constantFrom(
              "a",
              " ",
              "\n",
              "*",
              "_",
              "`",
              "[",
              "]",
              "(x)",
              "-",
              "#",
              "> ",
              "1. ",
              "<",
              "\n\n",
              "```\n",
              "~",
            ),
          ),
        ),
        fc.array(fc.nat(), { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1 }),
        async (words, places, widths) => {
          let at = 0;
          const width = () => widths[at++ % widths.length] ?? 80;
          const numbered = words.map((word, index) => (word === "a" ? `w${index}w` : word)).join("");
          const shown = await drawn(cut(numbered, places), { width });
          const names = (text: string) => [...text.matchAll(/w\d+w/g)].map(([name]) => name);
          expect(names(shown)).toEqual(names(numbered));
        },
      ),
      runs(200),
    ));

  test.each([
    ["code that may start within it", "w0ww1w\nw3w```\nw5w"],
    ["emphasis within it", "w0ww1w w3w*b c*"],
    ["a link within it", "w0ww1w w3w[b c](https://x.example) d"],
    ["emphasis and code within it", "w0w *w1w w2w*w3w`b c"],
  ])("does not repeat a word that becomes too long for its line because of %s", async (_, text) => {
    const names = (shown: string) => shown.match(/w\dw/g);
    for (const color of [false, true])
      for (const pieces of [[text], [...text]])
        expect(names(plain(await drawn(pieces, { width: 10, color })))).toEqual(names(text));
  });

  test("only adds lines: there are no control sequences except colors", async () => {
    const text = blocks.join("\n\n");
    expect(plain(await drawn([...text], { color: true }))).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
  });

  test("draws words as they arrive, and code line by line", async () => {
    const { add, end } = createMarkdownDrawer({ width: () => 80, color: false });
    expect(await add("Some wor")).toBe("Some");
    expect(await add("ds and **bo")).toBe(" words and");
    expect(await add("ld** text.\n\n")).toBe(" **bold** text.\n");
    expect(await add("```\none\ntw")).toBe("\n```\none\n");
    expect(await add("o\n")).toBe("two\n");
    expect(await end()).toBe("```\n");
  });

  test("draws a table once it is complete, and fits it into the window", async () => {
    const { add, end } = createMarkdownDrawer({ width: () => 24, color: false });
    expect(await add("| GPU | Notes |\n|---|--:|\n| H100 | a note that is long |\n")).toBe("");
    expect(await end()).toBe(
      [
        "GPU                Notes",
        "────  ──────────────────",
        "H100      a note that is",
        "                    long",
        "",
      ].join("\n"),
    );
  });

  test.each([20, 40, 80])("fits tables and wide text into %i columns", async (width) => {
    const wide =
      "| 名前 | 説明 | GPU |\n|---|---|---|\n| 二枚必要です | 全角文字は二列を占めるので、幅の計算を間違えると行がずれます | 🚀🚀 |";
    const shown = await drawn([wide, "\n\n", blocks[13]], { width });
    for (const line of shown.split("\n")) expect(displayWidth(line, 200)).toBeLessThanOrEqual(width);
  });

  test("loses no word of a table whose header was drawn in part as text", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom("", "> ", "- ", "1. "),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.constantFrom("---", "--:", ":-:", ":--")), {
          minLength: 2,
          maxLength: 5,
        }),
        fc.array(fc.nat(), { maxLength: 40 }),
        fc.integer({ min: 10, max: 80 }),
        async (mark, columns, places, width) => {
          let count = 0;
          const cells = (many: number) => Array.from({ length: many }, () => `w${count++}w`).join(" ");
          const rows = [columns.map(([many]) => cells(many)), columns.map(([, align]) => align)];
          rows.push(columns.map(() => cells(1)));
          const rest = mark === "> " ? mark : " ".repeat(mark.length);
          const table = rows.map((row, at) => `${at === 0 ? mark : rest}${row.join(" | ")}\n`).join("");
          const shown = await drawn(cut(table, places), { width });
          const words = new Set(shown.match(/w\d+w/g));
          expect(words.size).toBe(count);
        },
      ),
      runs(200),
    ));

  test.each([
    ["", "A  B\n─  ─\n1  2\n"],
    ["Text\n", "Text A\nA  B\n─  ─\n1  2\n"],
  ])("draws a whole table whose header was drawn in part: %j", async (before, shown) => {
    expect(await drawn([...`${before}A | B\n--- | ---\n1 | 2\n\n`])).toBe(shown);
  });

  test("turns a table with too many columns into a list", async () => {
    const row = (cell: string) => `|${Array.from({ length: 8 }, (_, at) => ` ${cell}${at} `).join("|")}|\n`;
    const shown = await drawn([row("title"), row("-").replace(/\d/g, "--"), row("value")], { width: 30 });
    expect(shown).toContain("title0: value0\ntitle1: value1\n");
  });

  test.each([
    ["an indented fence in code", "```py\n    w1w\n\n    ```\n    w2w\n    ```\nw3w\n```\n\nw4w"],
    ["a tag in a list item", "1. w1w\n   <w2w> w3w,\n   w4w.\n2. w5w"],
    [
      "link definitions in a list",
      `- [1]: https://w1w.example/${"x".repeat(30)} "w2w w3w w4w"\n- [2]: https://w5w "w6w"`,
    ],
  ])("draws each word once, in pieces of any size: %s", async (_, text) => {
    const names = (shown: string) => shown.match(/w\dw/g);
    for (const width of [20, 40, 80]) {
      for (let size = 1; size <= text.length; size++) {
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
        expect(names(await drawn(pieces, { width })), `${width} ${size}`).toEqual(names(text));
      }
    }
  });

  test("keeps code as it is", async () => {
    const code =
      "if x:\n\n    print('│ a very long line that is wider than the window and must not be wrapped or cut')\n";
    for (const color of [true, false]) {
      const shown = plain(
        await drawn([`1. Run\n   \`\`\`python\n${code.replace(/^(?=.)/gm, "   ")}   \`\`\``], {
          width: 40,
          color,
        }),
      );
      expect(shown).toContain(`\n${code}`);
    }
  });

  test("keeps the marks of Markdown if the terminal has no colors", async () => {
    const text = "## Title\n\n**a** *b* ~~c~~ `d`\n";
    expect(await drawn([text])).toBe(text);
    expect(await drawn([text], { color: true })).toBe(
      "\x1b[1mTitle\x1b[22m\n\n\x1b[1ma\x1b[22m \x1b[3mb\x1b[23m \x1b[9mc\x1b[29m \x1b[36md\x1b[39m\n",
    );
  });

  test("keeps single tildes, which stand for ranges of numbers", async () => {
    const text = "It takes 3~5 hours, or 10~20 minutes in total.\n";
    for (const color of [false, true])
      for (const pieces of [[text], [...text]]) expect(await drawn(pieces, { color })).toBe(text);
  });

  test("colors code, also after its first lines were drawn", async () => {
    const pieces = ["```js\n", "/* one\n", "two */\n", "const a = 'b';\n", "```\n"];
    const shown = await drawn(pieces, { color: true });
    expect(shown).toContain("\x1b[2mtwo */\x1b[22m\n\x1b[35mconst\x1b[39m a = \x1b[32m'b'\x1b[39m;\n");
  });

  test("shows the URL of a link", async () => {
    expect(await drawn(["[text](https://a.example) and <https://b.example>"])).toBe(
      "text (https://a.example) and https://b.example\n",
    );
  });

  test("draws no control character that an entity stands for", async () => {
    expect(await drawn(["a&#27;[2Jb &#x9b;2J"], { color: true })).not.toMatch(/[\x1b\x9b]/);
  });

  test("keeps the words of a heading that were drawn before its underline arrived", async () => {
    expect(await drawn(["Two words ", "\n", "-"])).toBe("Two words\n-\n");
  });

  test("waits for the end of code that starts within emphasis", async () => {
    expect((await drawn(["*```\none*> ", "```\n"])).match(/one/g)).toHaveLength(1);
  });

  test.each([
    ["marks of emphasis", "*".repeat(60_000)],
    ["letters before an @", `${"a".repeat(60_000)}@`],
    ["marks of images", "![".repeat(30_000)],
  ])("draws a very long word of %s without parsing it again and again", async (_, word) => {
    const lex = vi.spyOn(Lexer.prototype, "lex");
    onTestFinished(() => lex.mockRestore());
    expect(
      plain(
        await drawn(
          [
            "Before\n\n",
            ...cut(
              word,
              Array.from({ length: 59 }, (_, at) => 1_000 * (at + 1)),
            ),
            " *after*",
          ],
          { color: true },
        ),
      ),
    ).toBe(`Before\n\n${word} *after*\n`);
    const parsed = lex.mock.calls.reduce((sum, [source]) => sum + source.length, 0);
    expect(parsed).toBeLessThan(word.length);
  });

  test("reads a long word only once, however small the pieces of the text after it are", async () => {
    const rest = " more words".repeat(100);
    const timeFor = async (first: string) => {
      const start = process.cpuUsage();
      await drawn([first, ...(rest.match(/.{1,10}/g) ?? [])]);
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    // The first run also compiles the code.
    await timeFor("a".repeat(100));
    const base = await timeFor(`${"a".repeat(100)} `.repeat(80));
    expect(await timeFor("a".repeat(8_080))).toBeLessThan(10 * base);
  });

  test("finds the same long words in pieces of any size", () => {
    const text = fc
      .array(fc.constantFrom("a", "bc", " ", "\n"), { maxLength: 60 })
      .map((all) => all.join(""));
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 8 }), (all, places) => {
        const find = longWordFinder(5);
        let start = 0;
        for (const piece of cut(all, places)) {
          const end = start + piece.length;
          const words = [...all.slice(0, end).matchAll(/\S{5,}/g)];
          const expected = words.find(({ 0: word, index }) => piece !== "" && index + word.length > start);
          const found = find(piece);
          expect(found === undefined ? undefined : start + found).toBe(expected?.index);
          start = end;
        }
      }),
      runs(200),
    );
  });

  const sizes: readonly (readonly [string, string])[] = [
    ["marks of lists", "- ".repeat(4_000)],
    ["marks of quotes", ">".repeat(4_000)],
    ["rows of a table", `| a | b |\n|---|---|\n${"| 1 | 2 |\n".repeat(140_000)}`],
    ["lines of code in a quote", `> \`\`\`\n${"> x = 1\n".repeat(150_000)}`],
    ["nested items", Array.from({ length: 1_500 }, (_, at) => `${"  ".repeat(at)}- a\n`).join("")],
    ["lines of many marks", `${"- ".repeat(900)}a\n`.repeat(200)],
    ["lines with as many marks as can be nested", `${"- ".repeat(16)}a\n`.repeat(1_000)],
    ["open brackets", "[".repeat(100_000)],
    ["emphasis", "*a **b ".repeat(20_000)],
  ];
  test.each(everyNth(3, sizes))(
    "draws any number of %s, as a whole and in pieces, and lets other work go on",
    async (_, text) => {
      let longest = 0;
      let before = busyTime();
      const timer = setInterval(() => {
        longest = Math.max(longest, busyTime() - before);
        before = busyTime();
      });
      const many = cut(text, [5_000, 70_000, 80_000]);
      for (const pieces of [
        [`Before\n\n${text}`, "\n\nafter"],
        ["Before\n\n", ...many, "\n\nafter"],
      ]) {
        const shown = await drawn(pieces, { color: true });
        expect(plain(shown)).toMatch(/^Before\n[\s\S]*\n(?: |│|>)*after\n$/);
        const count = (where: string) => where.match(/[a1](?!fter)/g)?.length ?? 0;
        expect(count(plain(shown))).toBeGreaterThanOrEqual(count(text));
      }
      clearInterval(timer);
      expect(longest).toBeLessThan(5_000);
    },
  );
});
