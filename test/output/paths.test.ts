import { describe, expect, test } from "vitest";
import { firstAt, valueAt } from "../../src/core/json.ts";
import { fc } from "../support/property.ts";

describe("a dotted path", () => {
  test("goes through records and lists", () => {
    const record = { meta: { nodes: [{ ip: "a" }, { ip: "b" }] } };
    expect(valueAt(record, "meta.nodes.1.ip")).toBe("b");
    expect(valueAt(record, "meta.nodes.2.ip")).toBeUndefined();
    expect(valueAt(record, "meta.nodes.length")).toBeUndefined();
  });

  test("prefers a key that contains the dots, at any level", () => {
    expect(valueAt({ "a.b": 1, a: { b: 2 } }, "a.b")).toBe(1);
    expect(valueAt({ a: { "b.c": 1, b: { c: 2 } } }, "a.b.c")).toBe(1);
    expect(valueAt({ "a.b": { c: 1 }, a: { b: { c: 2 } } }, "a.b.c")).toBe(1);
    expect(valueAt({ "a.b": { x: 1 }, a: { b: { c: 2 } } }, "a.b.c")).toBe(2);
  });

  test("finds only own properties", () => {
    expect(valueAt({}, "constructor.name")).toBeUndefined();
    expect(valueAt(JSON.parse('{"__proto__": {"a": 1}}'), "a")).toBeUndefined();
  });

  test("is skipped in favor of the next path if its value is null or absent", () => {
    expect(firstAt({ a: null, b: { c: 0 }, d: 1 }, ["a", "b.c", "d"])).toBe(0);
    expect(firstAt({ a: null }, ["a", "b"])).toBeUndefined();
  });

  test("finds the value of any key, even with dots", () => {
    const key = fc.string({ unit: fc.constantFrom("a", "b", "."), minLength: 1 });
    fc.assert(
      fc.property(key, fc.integer(), (path, value) => {
        expect(valueAt({ [path]: value }, path)).toBe(value);
      }),
    );
  });

  test("never throws", () => {
    fc.assert(fc.property(fc.anything(), fc.string(), (record, path) => void valueAt(record, path)));
  });
});
