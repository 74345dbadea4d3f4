import { describe, expect, test } from "vitest";
import type { LinesView, RecordView, View } from "../../src/core/view.ts";
import { fc } from "../support/property.ts";
import { drawn, inPipe, machines, onTerminal, pieces, text } from "./drawing.ts";

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
  test("is the data unchanged, whatever the table is drawn from", async () => {
    const value = { data: { b: [1, null], a: "\u009b" }, rows: [{ id: 1 }] };
    expect((await pieces(value, machines, { ...inPipe, format: "json" })).join("")).toBe(
      `${JSON.stringify(value.data, null, 2)}\n`,
    );
  });

  test("on a terminal writes control characters as escapes of the same text", async () => {
    const data = { a: "x\u009b31m\u007f\u202ey\x1b" };
    const shown = await drawn(data, one, { ...onTerminal, format: "json" });
    expect(shown).not.toMatch(/[\x1b\x7f-\x9f\u202e]/);
    expect(JSON.parse(shown)).toEqual(data);
  });

  test("an empty list is [], a list that is null as well", async () => {
    expect(await drawn([], machines, { ...inPipe, format: "json" })).toBe("[]\n");
    expect(await drawn(null, machines, { ...inPipe, format: "json" })).toBe("[]\n");
    expect(await drawn(undefined, one, { ...inPipe, format: "json" })).toBe("null\n");
  });

  test("is what a document is in every format", async () => {
    const document: View = { kind: "document" };
    expect(await drawn({ a: 1 }, document, onTerminal)).toBe('{\n  "a": 1\n}\n');
    expect(await drawn({ a: 1 }, document, { ...inPipe, format: "id" })).toBe('{\n  "a": 1\n}\n');
  });
});

describe("-o id", () => {
  test("is an identifier a line, none for a record that has none", async () => {
    const data = [{ id: 9007199254740991 }, { rentalId: "a b" }, { id: null }, {}, "plain"];
    expect(await drawn(data, machines, { ...inPipe, format: "id" })).toBe(
      text("9007199254740991", "a b", "plain"),
    );
  });

  test("takes a single record for one", async () => {
    expect(await drawn({ id: 5 }, one, { ...inPipe, format: "id" })).toBe(text("5"));
  });

  test("an identifier never makes two lines", async () => {
    expect(await drawn([{ id: "1\n2" }], machines, { ...inPipe, format: "id" })).toBe(text("1 2"));
  });

  test("is the lines themselves where a view is of lines", async () => {
    expect(await drawn([{ path: "a.png" }, {}], files, { ...inPipe, format: "id" })).toBe(text("a.png"));
  });
});

describe("lines", () => {
  test("are one value of each record, of one record or of many", async () => {
    expect(await drawn([{ path: "a.png" }, { path: null }, { path: "b.png" }], files, inPipe)).toBe(
      text("a.png", "b.png"),
    );
    expect(await drawn({ path: "a.png" }, files, onTerminal)).toBe(text("a.png"));
  });
});

describe("an odd shape", () => {
  test.each(["items", "data", "rentals", "results"])("a page holds its list under %s", async (key) => {
    expect(await drawn({ [key]: [{ id: 1 }], next: null }, machines, onTerminal)).toBe(text("ID", "1"));
  });

  test("rows go before the data in a table", async () => {
    const value = { data: [], rows: [{ id: 1 }] };
    expect((await pieces(value, machines, onTerminal)).join("")).toBe(text("ID", "1"));
  });

  test.each([[[]], [null], [undefined], [{ items: [] }]])("an empty list is empty text: %j", async (data) => {
    expect(await pieces({ data }, machines, onTerminal)).toEqual([]);
  });

  test("one record where a list was expected is a list of one", async () => {
    expect(await drawn({ id: 1 }, machines, onTerminal)).toBe(text("ID", "1"));
  });

  test("text where records were expected is shown", async () => {
    expect(await drawn(["a", 2, null], machines, onTerminal)).toBe(text("ID", "a", "2", "-"));
    expect(await drawn("a", one, onTerminal)).toBe(text("a"));
  });

  test("a value that its column's format does not fit is shown as it is", async () => {
    const record = { id: { a: 1 }, label: ["x", "y"], costPerHourCents: "many", createdAt: 5 };
    expect(await drawn([record], machines, onTerminal)).toBe(
      text("ID       LABEL   $/H  AGE", '{"a":1}  x, y   many  5'),
    );
  });

  test("never throws, and ends every piece at a line end", async () => {
    const data = fc.anything({ withNullPrototype: true, withBigInt: true, withSparseArray: true });
    const options = fc.record({ terminal: fc.boolean(), color: fc.boolean(), width: fc.nat(120) });
    await fc.assert(
      fc.asyncProperty(data, options, fc.constantFrom(...views.slice(0, 4)), async (value, look, view) => {
        for (const format of ["table", "id"] as const) {
          const shown = await pieces({ data: value }, view, { ...onTerminal, ...look, format });
          expect(shown.every((piece) => piece.endsWith("\n"))).toBe(true);
        }
      }),
    );
  });
});

test("nothing from a service makes a terminal obey, in any view", async () => {
  const evil = fc.string({
    unit: fc.constantFrom("\x1b", "[", "]", "\x9b", "0", ";", "m", "\x07", "\x9c", "\r", "a"),
  });
  const record = fc.record({ id: evil, label: evil, path: evil, state: evil });
  await fc.assert(
    fc.asyncProperty(fc.array(record), fc.constantFrom(...views.slice(0, 4)), async (data, view) => {
      for (const format of ["table", "id"] as const) {
        expect(await drawn(data, view, { ...onTerminal, format })).not.toMatch(/[^\n\x20-\x7e…]/);
      }
    }),
  );
});
