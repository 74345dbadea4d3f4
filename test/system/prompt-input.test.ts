import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { inputParts, type Part } from "../../src/system/prompt-input.ts";

const start = "\u001b[200~";
const end = "\u001b[201~";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Adds chunks of input, and waits for the escape timeout where a chunk is `undefined`. Returns all parts. */
function partsOf(...chunks: readonly (string | undefined)[]): readonly Part[] {
  const found: Part[] = [];
  const read = () => {
    for (let part = input.next(); part !== undefined; part = input.next()) found.push(part);
  };
  const input = inputParts(read);
  for (const chunk of chunks) {
    if (chunk === undefined) vi.runAllTimers();
    else input.add(Buffer.from(chunk));
    read();
  }
  input.stop();
  return found;
}

describe("input of a terminal", () => {
  test("a mark that arrives in two parts is found, wherever it is cut", () => {
    const text = `a${start}x\ny${end}b`;
    for (let cut = 1; cut < text.length; cut += 1) {
      expect(partsOf(text.slice(0, cut), text.slice(cut)), `cut at ${cut}`).toEqual([
        { key: "a" },
        { paste: "x\ny" },
        { key: "b" },
      ]);
    }
  });

  test("Escape is a key if nothing follows in time", () => {
    expect(partsOf("\u001b", undefined, "[A")).toEqual([{ key: "\u001b" }, { key: "[" }, { key: "A" }]);
    expect(partsOf("\u001b", "[A")).toEqual([{ key: "\u001b[A" }]);
  });

  test("a character of several bytes may arrive in parts", () => {
    const bytes = Buffer.from("é");
    const input = inputParts(() => {});
    input.add(bytes.subarray(0, 1));
    expect(input.next()).toBeUndefined();
    input.add(bytes.subarray(1));
    expect(input.next()).toEqual({ key: "é" });
  });
});
