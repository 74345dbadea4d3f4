import { describe, expect, test } from "vitest";
import type { LinesView, RecordView, View } from "../../src/core/view.ts";
import { fc } from "../support/property.ts";
import { inPipe, machines, onTerminal, pieces, rendered, text } from "./rendering.ts";

const files: LinesView = { kind: "lines", path: "path" };
const one: RecordView = { kind: "record", id: ["id"] };
const views: readonly View[] = [
  machines,
  one,
  { ...one, columns: machines.columns },
  files,
  { kind: "document" },
];

describe("-o json", () => {
  test("is the unchanged data, even if the table shows other rows", async () => {
    const value = { data: { b: [1, null], a: "é" }, rows: [{ id: 1 }] };
    expect((await pieces(value, machines, { ...inPipe, format: "json" })).join("")).toBe(
      `${JSON.stringify(value.data, null, 2)}\n`,
    );
  });

  test("escapes control characters", async () => {
    const data = { a: "x\u009b31m\u007f\u202ey\x1b\u061c\u200e\u200f\u2028\u2029\u2066\ufeff" };
    const shown = await rendered(data, one, { ...onTerminal, format: "json" });
    expect(shown).not.toMatch(/[\x1b\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066\ufeff]/);
    expect(JSON.parse(shown)).toEqual(data);
  });

  test("is [] for an empty list and for a list that is null, and null for a missing record", async () => {
    expect(await rendered([], machines, { ...inPipe, format: "json" })).toBe("[]\n");
    expect(await rendered(null, machines, { ...inPipe, format: "json" })).toBe("[]\n");
    expect(await rendered(undefined, one, { ...inPipe, format: "json" })).toBe("null\n");
  });

  test("is also how a document is printed with -o table and -o id", async () => {
    const document: View = { kind: "document" };
    expect(await rendered({ a: 1 }, document, onTerminal)).toBe('{\n  "a": 1\n}\n');
    expect(await rendered({ a: 1 }, document, { ...inPipe, format: "id" })).toBe('{\n  "a": 1\n}\n');
  });
});

describe("-o id", () => {
  test("is one ID per line; a record without an ID is omitted", async () => {
    const data = [{ id: 9007199254740991 }, { rentalId: "a b" }, { id: null }, {}, "plain"];
    expect(await rendered(data, machines, { ...inPipe, format: "id" })).toBe(
      text("9007199254740991", "a b", "plain"),
    );
  });

  test("accepts a single record", async () => {
    expect(await rendered({ id: 5 }, one, { ...inPipe, format: "id" })).toBe(text("5"));
  });

  test("never splits an ID over two lines", async () => {
    expect(await rendered([{ id: "1\n2" }], machines, { ...inPipe, format: "id" })).toBe(text("1 2"));
  });

  test("is the lines themselves for a view of lines", async () => {
    expect(await rendered([{ path: "a.png" }, {}], files, { ...inPipe, format: "id" })).toBe(text("a.png"));
  });
});

describe("lines", () => {
  test("are one value of each record", async () => {
    expect(await rendered([{ path: "a.png" }, { path: null }, { path: "b.png" }], files, inPipe)).toBe(
      text("a.png", "b.png"),
    );
    expect(await rendered({ path: "a.png" }, files, onTerminal)).toBe(text("a.png"));
  });
});

describe("data of any shape", () => {
  test.each(["items", "data", "rentals", "results"])("a page can contain its list under %s", async (key) => {
    expect(await rendered({ [key]: [{ id: 1 }], next: null }, machines, onTerminal)).toBe(text("ID", "1"));
  });

  test("a table shows the rows, not the data", async () => {
    const value = { data: [], rows: [{ id: 1 }] };
    expect((await pieces(value, machines, onTerminal)).join("")).toBe(text("ID", "1"));
  });

  test.each([[[]], [null], [undefined], [{ items: [] }]])(
    "an empty list prints nothing: %j",
    async (data) => {
      expect(await pieces({ data }, machines, onTerminal)).toEqual([]);
    },
  );

  test("one record where a list was expected is a list of one", async () => {
    expect(await rendered({ id: 1 }, machines, onTerminal)).toBe(text("ID", "1"));
  });

  test("text where records were expected is shown", async () => {
    expect(await rendered(["a", 2, null], machines, onTerminal)).toBe(text("ID", "a", "2", "-"));
    expect(await rendered("a", one, onTerminal)).toBe(text("a"));
  });

  test("a value that does not fit its column's format is shown unchanged", async () => {
    const record = { id: { a: 1 }, label: ["x", "y"], costPerHourCents: "many", createdAt: 5 };
    expect(await rendered([record], machines, onTerminal)).toBe(
      text("ID       LABEL   $/H  AGE", '{"a":1}  x, y   many  5'),
    );
  });

  test("causes no error, and every piece of output ends with a newline", async () => {
    const data = fc.anything({ withNullPrototype: true, withBigInt: true, withSparseArray: true });
    const renderOptions = fc.record({ terminal: fc.boolean(), color: fc.boolean(), width: fc.nat(120) });
    await fc.assert(
      fc.asyncProperty(
        data,
        renderOptions,
        fc.constantFrom(...views.slice(0, 4)),
        async (value, options, view) => {
          for (const format of ["table", "id"] as const) {
            const shown = await pieces({ data: value }, view, { ...onTerminal, ...options, format });
            expect(shown.every((piece) => piece.endsWith("\n"))).toBe(true);
          }
        },
      ),
    );
  });
});

test("no view prints control characters of a service on a terminal", async () => {
  const hostile = fc.string({
    unit: fc.constantFrom("\x1b", "[", "]", "\x9b", "0", ";", "m", "\x07", "\x9c", "\r", "a"),
  });
  const record = fc.record({ id: hostile, label: hostile, path: hostile, state: hostile });
  await fc.assert(
    fc.asyncProperty(fc.array(record), fc.constantFrom(...views.slice(0, 4)), async (data, view) => {
      for (const format of ["table", "id"] as const) {
        expect(await rendered(data, view, { ...onTerminal, format })).not.toMatch(/[^\n\x20-\x7e…]/);
      }
    }),
  );
});
