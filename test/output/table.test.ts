import { describe, expect, test } from "vitest";
import type { ListView } from "../../src/core/view.ts";
import { displayWidth } from "../../src/output/display-width.ts";
import { drawn, inPipe, machines, onTerminal, pieces, text } from "./drawing.ts";

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
  test("is a table without borders, in which columns that say nothing are left out", async () => {
    expect(await drawn(rentals, machines, onTerminal)).toBe(
      text(
        "ID     LABEL      STATE    GPU            $/H  AGE",
        "18026  train      Running  8x h100  $1,234.50  3h ago",
        "r-2    日本語🚀x  Pending  -            $0.90  last week",
      ),
    );
  });

  test("gives up room of its widest texts first and marks them with an ellipsis", async () => {
    const records = [{ id: 1, label: "a label that is long", note: "a note that is longer still" }];
    expect(await drawn(records, machines, { ...onTerminal, width: 31 })).toBe(
      text("ID  LABEL         NOTE", "1   a label tha…  a note that …"),
    );
  });

  test("leaves columns out from the right when there is no room, and says so with an ellipsis", async () => {
    expect(await drawn(rentals, machines, { ...onTerminal, width: 18 })).toBe(
      text("ID     LABEL     …", "18026  train", "r-2    日本語…"),
    );
  });

  test("never cuts an amount", async () => {
    const view: ListView = {
      ...machines,
      columns: machines.columns.filter(({ title }) => /Id|h$/.test(title)),
    };
    expect(await drawn(rentals, view, { ...onTerminal, width: 12 })).toBe(text("ID     …", "18026", "r-2"));
  });

  test("cuts even the identifier when nothing else is left to give", async () => {
    const records = [{ id: "0123456789".repeat(5) }];
    expect(await drawn(records, machines, { ...onTerminal, width: 12 })).toBe(text("ID", "01234567890…"));
  });

  test("counts on 80 columns when the terminal does not say", async () => {
    const line = await drawn([{ id: 1, label: "x".repeat(200) }], machines, { ...onTerminal, width: 0 });
    expect(line.split("\n")[1]).toHaveLength(80);
  });

  test("fits 20 columns of a table into any width", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `field${index}`);
    const view: ListView = { ...machines, columns: names.map((name) => ({ title: name, paths: [name] })) };
    const record = Object.fromEntries(names.map((name) => [name, `${name} 漢字 is text`]));
    for (const width of [10, 20, 43, 80, 120, 333, 1000]) {
      const lines = (await drawn([record], view, { ...onTerminal, width })).split("\n");
      expect(Math.max(...lines.map((line) => displayWidth(line, 5000)))).toBeLessThanOrEqual(width);
    }
  });

  test("obeys no escape sequence of a label, and keeps it on its line", async () => {
    const records = [{ id: 1, label: "a\x1b]0;own title\x07b\nc\x9b31md\u202e" }];
    expect(await drawn(records, machines, onTerminal)).toBe(text("ID  LABEL", "1   ab cd"));
  });

  test("dims titles and colors states, with aligned columns", async () => {
    const records = [
      { id: 1, state: "RUNNING", note: "a" },
      { id: 2, state: "pending", note: "b" },
      { id: 3, state: "Terminated", note: "c" },
      { id: 4, state: "else", note: "d" },
    ];
    expect(await drawn(records, machines, { ...onTerminal, color: true })).toBe(
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
  test("shows every column whole, time stamps as they came", async () => {
    expect(await drawn(rentals, machines, inPipe)).toBe(
      text(
        "ID     LABEL      STATE    GPU            $/H  NOTE  AGE",
        "18026  train      Running  8x h100  $1,234.50  -     2026-09-12 13:59:00.123+00",
        "r-2    日本語🚀x  Pending  -            $0.90  -     last week",
      ),
    );
  });

  test("is not padded for the sake of one long value", async () => {
    const long = "x".repeat(100_000);
    const [, first, second] = (await drawn([{ id: 1, label: long }, { id: 2 }], machines, inPipe)).split(
      "\n",
    );
    expect(first).toContain(long);
    expect(second?.length).toBeLessThan(300);
  });

  test("leaves a text as it came", async () => {
    expect(await drawn([{ id: 1, label: "a\x1b[31mb" }], machines, inPipe)).toContain("a\x1b[31mb");
  });
});

describe("a long list", () => {
  test("comes in pieces of whole lines with the same columns throughout", async () => {
    const records = Array.from({ length: 10_000 }, (_, id) => ({
      id,
      label: id === 9999 ? "wide label" : "x",
    }));
    const all = await pieces(
      { data: records },
      { ...machines, columns: machines.columns.slice(0, 2) },
      inPipe,
    );
    expect(all).toHaveLength(1001);
    expect(all.every((piece) => piece.endsWith("\n") && piece.split("\n").length <= 11)).toBe(true);
    const lines = all.join("").split("\n");
    expect(lines.slice(0, 2)).toEqual(["ID    LABEL", "0     x"]);
    expect(lines.slice(-2)).toEqual(["9999  wide label", ""]);
  });
});
