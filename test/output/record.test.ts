import { describe, expect, test } from "vitest";
import type { RecordView } from "../../src/core/view.ts";
import { inPipe, machines, onTerminal, rendered, text } from "./rendering.ts";

const all: RecordView = { kind: "record", id: ["id"] };

describe("a record", () => {
  test("has one line per column, with aligned values", async () => {
    const record = { id: 7, state: "Running", costPerHourCents: 299, createdAt: "2026-09-24T17:00:00Z" };
    expect(await rendered(record, { ...all, columns: machines.columns }, onTerminal)).toBe(
      text(
        "Id:     7",
        "Label:  -",
        "State:  Running",
        "GPU:    -",
        "$/h:    $2.99",
        "Note:   -",
        "Age:    in 12d",
      ),
    );
  });

  test("without columns shows every value under its path, in the record's order", async () => {
    const record = {
      count: 2,
      total: { costPerHourCents: 1250, perTermCents: { reserved: 5 } },
      ids: [1, 2],
      nodes: [{ ip: "192.0.2.1" }],
      none: null,
      nothing: {},
      emptyList: [],
      percents: 12,
      ok: true,
    };
    expect(await rendered(record, all, inPipe)).toBe(
      text(
        "count:                   2",
        "total.costPerHour:       $12.50",
        "total.perTerm.reserved:  $0.05",
        "ids:                     1, 2",
        "nodes.0.ip:              192.0.2.1",
        "none:                    -",
        "nothing:                 -",
        "emptyList:               -",
        "percents:                12",
        "ok:                      true",
      ),
    );
  });

  test("is never truncated, and aligns wide names", async () => {
    const record = { 名前: "x".repeat(300), a: 1 };
    expect(await rendered(record, all, { ...onTerminal, width: 20 })).toBe(
      text(`名前:  ${"x".repeat(300)}`, "a:     1"),
    );
  });

  test("is separated from the next record by a blank line", async () => {
    expect(await rendered([{ a: 1 }, { a: 2 }], all, onTerminal)).toBe(text("a:  1", "", "a:  2"));
  });

  test("has no control sequences in its field names and values on a terminal", async () => {
    expect(await rendered({ "a\x1b[2J": "b\x1b[2J" }, all, onTerminal)).toBe(text("a:  b"));
  });

  test("has a colored state", async () => {
    expect(await rendered({ state: "active" }, all, { ...onTerminal, color: true })).toBe(
      text("\x1b[2mstate:\x1b[22m  \x1b[32mactive\x1b[39m"),
    );
  });

  test("is shown only to a maximum depth", async () => {
    let deep: unknown = "bottom";
    for (let level = 0; level < 5000; level += 1) deep = { in: deep };
    expect(await rendered(deep, all, onTerminal)).toMatch(/^(?:in\.){15}in: {2}.*\n$/);
  });
});
