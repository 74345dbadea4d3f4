import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import type { ListView, RecordView } from "../../src/core/view.ts";
import { csv, delimited, tsv } from "../../src/output/delimited.ts";
import { json, jsonArray } from "../../src/output/json.ts";
import { singleBatch } from "../../src/output/records.ts";
import { yaml, yamlSequence } from "../../src/output/yaml.ts";
import { fc } from "../support/property.ts";
import { batched, inPipe, machines, onTerminal, rendered } from "./rendering.ts";

const one: RecordView = { kind: "record", id: ["id"] };
const separate = (format: "csv" | "tsv" | "jsonl") => ({ ...inPipe, format });

/** Text with characters that need escaping in some format. */
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      ",",
      '"',
      "\r",
      "\n",
      "\t",
      "\\",
      "'",
      " ",
      ":",
      "-",
      "#",
      "é",
      "🚀",
      "漢",
      "\x85",
      "\u2028",
    ),
    fc.string({ minLength: 1, maxLength: 1 }),
  ),
});
const grid = fc
  .integer({ min: 1, max: 5 })
  .chain((columns) => fc.array(fc.array(text, { minLength: columns, maxLength: columns })));
const jsonValue = fc.jsonValue({ stringUnit: "binary" }).map((value) => JSON.parse(JSON.stringify(value)));

/** A strict RFC 4180 parser. It throws an error if the text violates the standard. */
function readCsv(source: string): string[][] {
  const rows: string[][] = [];
  let at = 0;
  while (at < source.length) {
    const row: string[] = [];
    for (;;) {
      let value = "";
      if (source[at] === '"') {
        for (at += 1; source[at] !== '"' || source[at + 1] === '"'; at += source[at] === '"' ? 2 : 1) {
          if (at >= source.length) throw new Error("a quote is never closed");
          value += source[at];
        }
        at += 1;
      } else {
        while (at < source.length && !/[",\r\n]/.test(source[at] ?? "")) value += source[at++];
      }
      row.push(value);
      if (source[at] !== ",") break;
      at += 1;
    }
    if (source.slice(at, at + 2) !== "\r\n") throw new Error(`no line end at ${at}`);
    at += 2;
    rows.push(row);
  }
  return rows;
}

const unescaped = (value: string) =>
  value.replace(/\\(.)/g, (_, one: string) => ({ t: "\t", n: "\n", r: "\r" })[one] ?? one);

/** The first cell of each line. */
const readTsv = (output: string): readonly string[] =>
  output
    .split("\n")
    .slice(0, -1)
    .map((line) => unescaped(line.split("\t")[0] ?? ""));

const notesOnly: ListView = { ...machines, columns: [{ title: "NOTE", paths: ["note"] }] };

describe("csv", () => {
  test("is read back the same by a strict RFC 4180 parser", () => {
    fc.assert(
      fc.property(grid, (rows) => {
        expect(readCsv(csv(rows))).toEqual(rows);
      }),
    );
  });

  test("has lowercase titles, amounts in cents, unchanged times, and empty fields for missing values", async () => {
    const records = [
      { id: 1, name: 'a "b", c', costPerHourCents: 123450, createdAt: "2026-09-12 13:59:00.123+00" },
      { id: 2, state: "Running", gpuCount: 8, gpuType: "h100" },
    ];
    expect(await rendered(records, machines, separate("csv"))).toBe(
      [
        "id,label,state,gpu,$/h,note,age",
        '1,"a ""b"", c",,,123450,,2026-09-12 13:59:00.123+00',
        "2,,Running,8x h100,,,",
        "",
      ].join("\r\n"),
    );
  });

  test("of a record whose view has no columns has a column for each value", async () => {
    const record = { a: { b: 1, sumCents: 250 }, list: ["x", null], none: null, empty: {} };
    expect(await rendered(record, one, separate("csv"))).toBe(
      'a.b,a.sumCents,list,none,empty\r\n1,250,"x, ",,{}\r\n',
    );
    expect(await rendered("text", one, separate("csv"))).toBe("value\r\ntext\r\n");
  });

  test("of an empty list is only the header, or nothing with --no-header or without columns", async () => {
    expect(await rendered([], machines, separate("csv"))).toBe("id,label,state,gpu,$/h,note,age\r\n");
    expect(await rendered([], machines, { ...separate("csv"), header: false })).toBe("");
    expect(await rendered([], one, separate("csv"))).toBe("");
  });

  test("quotes a row of one empty value, which would otherwise be a blank line", () => {
    expect(csv([["a"], [""]])).toBe('a\r\n""\r\n');
  });
});

describe("a cell that a spreadsheet would run as a formula", () => {
  /** Restores the text of a cell as the help describes. */
  const readBack = (cell: string) => cell.replace(/^'(?='*[=+\-@\t\r])/, "");
  const formulas = fc
    .tuple(fc.constantFrom("=", "+", "-", "@", "\t", "\r", "'", "''", "'=", "-1", "+1e5", "1"), text)
    .map(([start, rest]) => start + rest);

  test.each(["csv", "tsv"] as const)("is text in %s, and is read back the same", async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(formulas, text), { minLength: 1 }), async (notes) => {
        const output = await rendered(
          notes.map((note) => ({ note })),
          notesOnly,
          separate(format),
        );
        const cells = format === "csv" ? readCsv(output).map(([cell = ""]) => cell) : readTsv(output);
        expect(cells.slice(1).map(readBack)).toEqual(notes);
        // Numbers beyond the range of a double, such as +1e500, are numbers too.
        const run = cells.filter((cell) => /^[=+\-@\t\r]/.test(cell) && Number.isNaN(Number(cell)));
        expect(run).toEqual([]);
      }),
    );
  });

  test.each(["0", "-1", "-1.50", "+2", "-0.5e-10", "-.5", 12.5, -3, "12345678901234567890", "+1e500"])(
    "is not a number: numbers such as %s are written unchanged",
    async (note) => {
      expect(await rendered([{ note }], notesOnly, { ...separate("csv"), header: false })).toBe(
        `${note}\r\n`,
      );
    },
  );

  test.each([
    "=1+1",
    "-1+1",
    "+1 555 0100",
    "@SUM(1)",
    "-",
    "--x",
    "-cmd|' /C calc'!A0",
    // Not a formula, but without a second apostrophe, it would be read back as "=1".
    "'=1",
    "-Infinity",
    "-0x10",
  ])("gets an apostrophe: %s", async (note) => {
    const shown = await rendered([{ note }], notesOnly, { ...separate("tsv"), header: false });
    expect(shown).toBe(`'${note}\n`);
  });

  test("can be the name of a column, which then gets an apostrophe", async () => {
    const columns = [{ title: "=1+1", paths: ["=1+1"] }];
    expect(await rendered([{}], { ...machines, columns }, separate("csv"))).toMatch(/^'=1\+1\r\n/);
  });
});

describe("tsv", () => {
  test("is read back the same when tabs, line ends and backslashes are unescaped", () => {
    fc.assert(
      fc.property(grid, (rows) => {
        const lines = tsv(rows).split("\n");
        expect(lines.pop()).toBe("");
        expect(lines.map((line) => line.split("\t").map(unescaped))).toEqual(rows);
      }),
    );
  });
});

describe("yaml", () => {
  test("is read back the same, and has no control characters", () => {
    fc.assert(
      fc.property(fc.oneof(jsonValue, text, fc.dictionary(text, text)), (value) => {
        const shown = yaml(value);
        expect(parseYaml(shown)).toEqual(value);
        expect(shown).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
      }),
    );
  });

  test.each(["no", "on", "12:30:00", "0777", "2026-11-20", "~", "1_000"])(
    "quotes %j, which YAML 1.1 parsers would otherwise not read as a string",
    (value) => expect(yaml({ value })).toBe(`value: "${value}"\n`),
  );

  test("of streamed records equals that of the whole list", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(jsonValue)), async (batches) => {
        expect(await joined(yamlSequence(batched(batches)))).toBe(yaml(batches.flat()));
      }),
    );
  });
});

describe("json of streamed records", () => {
  test("equals that of the whole list", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(jsonValue)), async (batches) => {
        const shown = await joined(jsonArray(batched(batches)));
        expect(shown).toBe(json(batches.flat()));
        expect(JSON.parse(shown)).toEqual(batches.flat());
        expect(shown).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]|\p{Bidi_Control}/u);
      }),
    );
  });
});

describe("jsonl", () => {
  test("has one line for each record, as the service sent the record", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(jsonValue), async (records) => {
        const lines = (await rendered(records, machines, separate("jsonl"))).split("\n");
        expect(lines.pop()).toBe("");
        expect(lines.map((line) => JSON.parse(line))).toEqual(records);
      }),
    );
  });

  test("has a line for a single record, lines for a page, and nothing for a list that is null", async () => {
    const jsonl = separate("jsonl");
    expect(await rendered({ a: { b: 1 } }, one, jsonl)).toBe('{"a":{"b":1}}\n');
    expect(await rendered({ items: [{ id: 1 }, { id: 2 }], next: 1 }, machines, jsonl)).toBe(
      '{"id":1}\n{"id":2}\n',
    );
    expect(await rendered(null, machines, jsonl)).toBe("");
    expect(await rendered(null, one, jsonl)).toBe("null\n");
    expect(await rendered([1, 2], { kind: "document" }, jsonl)).toBe("[1,2]\n");
  });
});

test("no format prints control characters on a terminal", async () => {
  const hostile = fc.string({
    unit: fc.constantFrom("\x1b", "[", "]", "\x9b", "0", ";", "m", "\x07", "\x9c", "\u202e", "a"),
  });
  const records = fc.array(fc.record({ id: hostile, label: hostile, state: hostile, "\x1b[2J": hostile }));
  const formats = ["table", "json", "jsonl", "yaml", "csv", "tsv", "id"] as const;
  await fc.assert(
    fc.asyncProperty(
      records,
      fc.constantFrom(...formats),
      fc.constantFrom(machines, one),
      async (data, format, view) => {
        expect(await rendered(data, view, { ...onTerminal, format })).not.toMatch(
          /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e]/,
        );
      },
    ),
  );
});

test("csv rows keep the columns of the first batch", async () => {
  const batches = [[{ a: 1, b: 2 }], [{ b: 3, c: 4 }]];
  expect(await joined(delimited(batched(batches), one, csv, { header: true, terminal: false }))).toBe(
    "a,b\r\n1,2\r\n,3\r\n",
  );
  expect(await joined(delimited(singleBatch([]), machines, csv, { header: false, terminal: false }))).toBe(
    "",
  );
});

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let all = "";
  for await (const piece of pieces) all += piece;
  return all;
}

describe("streamed records in YAML", () => {
  /** Texts that services send, and texts that YAML could misread. */
  const word = fc.constantFrom(
    ...[
      "Running",
      "us-central-1",
      "a b",
      "a  b",
      "a: b",
      "a #b",
      "a:b",
      "a/b.c",
      "x@y",
      "203.0.113.7",
      "true",
      "Off",
      "No",
    ],
    ...[
      "n",
      "Y",
      "null",
      "Null",
      "nan",
      "inf",
      ".inf",
      "e5",
      "1e5",
      "0x1f",
      "0o7",
      "12",
      "007",
      "1_000",
      "1:30",
      "12345678901234567890",
    ],
    ...[
      "2026-09-12T13:59:00.123Z",
      "2026-09-12 13:59:00.123+00",
      "2026-09-12",
      "2026-09-12T13:59:00+02:00",
      "2026-9-1 1:02:03Z",
    ],
    ...[
      "",
      " ",
      "x ",
      "-",
      "- x",
      "a-",
      "a.",
      "a,b",
      "[x]",
      "{x}",
      "&x",
      "*x",
      "!x",
      "%x",
      "x\n",
      "x\ny",
      "é",
      "\x85",
      "=",
      "<<",
      "~",
      "?",
      "|",
      ">",
      "---",
      "...",
    ],
  );
  const leaf = fc.oneof(
    word,
    fc.stringMatching(/^[A-Za-z][\w./@-]{0,6}$/),
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  );
  const { record } = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: "small", withCrossShrink: true }, leaf, tie("list"), tie("record")),
    list: fc.array(tie("value"), { maxLength: 3 }),
    record: fc.dictionary(word, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  }));

  test("are written as the YAML library writes them", async () => {
    const records = fc.array(fc.oneof(record, leaf, fc.array(leaf)), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(records, async (values) => {
        const list: unknown[] = JSON.parse(JSON.stringify(values));
        let written = "";
        for await (const piece of yamlSequence(singleBatch(list))) written += piece;
        expect(written).toBe(yaml(list));
      }),
    );
  });
});
