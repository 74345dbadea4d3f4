import { describe, expect, test } from "vitest";
import type { Column, ListView } from "../../src/core/view.ts";
import { displayWidth } from "../../src/output/display-width.ts";
import { inPipe, machines, onTerminal, pieces, rendered, text } from "./rendering.ts";

const rentals = [
  {
    id: 18026,
    label: "train",
    state: "Running",
    gpuCount: 8,
    gpuType: "h100",
    costPerHourCents: 123450,
    createdAt: "2026-09-12 13:59:00.123+00",
  },
  { rentalId: "r-2", name: "日本語🚀x", status: "Pending", costPerHourCents: 90, createdAt: "last week" },
];

describe("a list on a terminal", () => {
  test("is a table without borders and without empty columns", async () => {
    expect(await rendered(rentals, machines, onTerminal)).toBe(
      text(
        "ID     LABEL      STATE    GPU            $/H  AGE",
        "18026  train      Running  8x h100  $1,234.50  3h ago",
        "r-2    日本語🚀x  Pending  -            $0.90  last week",
      ),
    );
  });

  test("truncates the widest texts first, with an ellipsis", async () => {
    const records = [{ id: 1, label: "a label that is long", note: "a note that is longer still" }];
    expect(await rendered(records, machines, { ...onTerminal, width: 31 })).toBe(
      text("ID  LABEL         NOTE", "1   a label tha…  a note that …"),
    );
  });

  test("leaves out columns from the right when there is no room", async () => {
    const leftOut: string[] = [];
    const onLeftOut = (columns: readonly Column[]) => leftOut.push(...columns.map(({ title }) => title));
    expect(await rendered(rentals, machines, { ...onTerminal, width: 18, onLeftOut })).toBe(
      text("ID     LABEL", "18026  train", "r-2    日本語🚀x"),
    );
    expect(leftOut).toEqual(["State", "GPU", "$/h", "Age"]);
  });

  test("leaves out columns by their priority, and fills the room with the others", async () => {
    const priorities: Readonly<Record<string, number>> = { State: 1, GPU: 3, Age: 1, "$/h": 2 };
    const columns = machines.columns.map((column) => ({
      ...column,
      priority: priorities[column.title] ?? 0,
    }));
    const shown = async (width: number) =>
      (await rendered(rentals, { ...machines, columns }, { ...onTerminal, width })).split("\n")[0];
    expect(await shown(56)).toMatch(/^ID +LABEL +STATE +GPU +\$\/H +AGE$/);
    expect(await shown(47)).toMatch(/^ID +LABEL +STATE +\$\/H +AGE$/);
    expect(await shown(35)).toMatch(/^ID +LABEL +STATE +GPU$/);
    expect(await shown(20)).toMatch(/^ID +LABEL$/);
  });

  test("first leaves out a column that shows only its `usual` text or only repeats the ID", async () => {
    const columns = machines.columns.map((column) => ({
      ...column,
      ...(column.title === "State" && { usual: "Running" }),
    }));
    const record = { id: 7, label: "vm-7", status: "Running", gpuCount: 8, gpuType: "h100", note: "a note" };
    const shown = async (records: readonly unknown[], width: number) =>
      (await rendered(records, { ...machines, columns }, { ...onTerminal, width })).split("\n")[0];
    expect(await shown([record], 80)).toBe("ID  LABEL  STATE    GPU      NOTE");
    expect(await shown([record], 20)).toBe("ID  GPU      NOTE");
    expect(await shown([record, { ...record, label: "x" }], 20)).toBe("ID  LABEL  GPU");
    expect(await shown([{ ...record, status: "Pending" }], 20)).toBe("ID  STATE    GPU");
  });

  test("never truncates an amount", async () => {
    const view: ListView = {
      ...machines,
      columns: machines.columns.filter(({ title }) => /Id|h$/.test(title)),
    };
    expect(await rendered(rentals, view, { ...onTerminal, width: 12 })).toBe(text("ID", "18026", "r-2"));
  });

  test("truncates the ID when there is no other column", async () => {
    const records = [{ id: "0123456789".repeat(5) }];
    expect(await rendered(records, machines, { ...onTerminal, width: 12 })).toBe(text("ID", "01234567890…"));
  });

  test("assumes 80 columns when the terminal's width is unknown", async () => {
    const line = await rendered([{ id: 1, label: "x".repeat(200) }], machines, { ...onTerminal, width: 0 });
    expect(line.split("\n")[1]).toHaveLength(80);
  });

  test("fits 20 columns of a table into any width", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `field${index}`);
    const view: ListView = { ...machines, columns: names.map((name) => ({ title: name, paths: [name] })) };
    const record = Object.fromEntries(names.map((name) => [name, `${name} 漢字 is text`]));
    for (const width of [10, 20, 43, 80, 120, 333, 1000]) {
      const lines = (await rendered([record], view, { ...onTerminal, width })).split("\n");
      expect(Math.max(...lines.map((line) => displayWidth(line, 5000)))).toBeLessThanOrEqual(width);
    }
  });

  test("removes escape sequences from a label, and keeps it on one line", async () => {
    const records = [{ id: 1, label: "a\x1b]0;own title\x07b\nc\x9b31md\u202e" }];
    expect(await rendered(records, machines, onTerminal)).toBe(text("ID  LABEL", "1   ab cd"));
  });

  test("has dim titles, colored states and aligned columns", async () => {
    const records = [
      { id: 1, state: "RUNNING", note: "a" },
      { id: 2, state: "pending", note: "b" },
      { id: 3, state: "Terminated", note: "c" },
      { id: 4, state: "else", note: "d" },
    ];
    expect(await rendered(records, machines, { ...onTerminal, color: true })).toBe(
      text(
        "\x1b[2mID\x1b[22m  \x1b[2mSTATE\x1b[22m       \x1b[2mNOTE\x1b[22m",
        "1   \x1b[32mRUNNING\x1b[39m     a",
        "2   \x1b[33mpending\x1b[39m     b",
        "3   \x1b[31mTerminated\x1b[39m  c",
        "4   else        d",
      ),
    );
  });
});

describe("a list in a pipe", () => {
  test("shows every column untruncated, with unchanged timestamps", async () => {
    expect(await rendered(rentals, machines, inPipe)).toBe(
      text(
        "ID     LABEL      STATE    GPU            $/H  NOTE  AGE",
        "18026  train      Running  8x h100  $1,234.50  -     2026-09-12 13:59:00.123+00",
        "r-2    日本語🚀x  Pending  -            $0.90  -     last week",
      ),
    );
  });

  test("does not pad every row to the width of one long value", async () => {
    const long = "x".repeat(100_000);
    const [, first, second] = (await rendered([{ id: 1, label: long }, { id: 2 }], machines, inPipe)).split(
      "\n",
    );
    expect(first).toContain(long);
    expect(second?.length).toBeLessThan(300);
  });

  test("does not change a text", async () => {
    expect(await rendered([{ id: 1, label: "a\x1b[31mb" }], machines, inPipe)).toContain("a\x1b[31mb");
  });
});

describe("a long list", () => {
  test("is printed in pieces of complete lines with the same columns", async () => {
    const records = Array.from({ length: 10_000 }, (_, id) => ({
      id,
      label: id === 9999 ? "wide label" : "x",
    }));
    const all = await pieces(
      { data: records },
      { ...machines, columns: machines.columns.slice(0, 2) },
      inPipe,
    );
    expect(all).toHaveLength(201);
    expect(all.every((piece) => piece.endsWith("\n") && piece.split("\n").length <= 51)).toBe(true);
    const lines = all.join("").split("\n");
    expect(lines.slice(0, 2)).toEqual(["ID    LABEL", "0     x"]);
    expect(lines.slice(-2)).toEqual(["9999  wide label", ""]);
  });
});
