import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  dropTime,
  inputParts,
  type Part,
  promptInput,
  terminalParts,
} from "../../src/system/prompt-input.ts";

const start = "\u001b[200~";
const end = "\u001b[201~";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Adds each text as a chunk of input, and waits for each number of milliseconds. Returns all parts. */
function partsOf(...chunks: readonly (string | number)[]): readonly Part[] {
  const found: Part[] = [];
  const read = () => {
    for (let part = input.next(); part !== undefined; part = input.next()) found.push(part);
  };
  const input = inputParts();
  for (const chunk of chunks) {
    if (typeof chunk === "number") vi.advanceTimersByTime(chunk);
    else input.add(Buffer.from(chunk), read);
    read();
  }
  input.stop();
  return found;
}

describe("input of a terminal", () => {
  test("the marks of a paste are found, wherever the input is cut into two chunks", () => {
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
    expect(partsOf("\u001b", 500, "[A")).toEqual([{ key: "\u001b" }, { key: "[" }, { key: "A" }]);
    expect(partsOf("\u001b", "[A")).toEqual([{ key: "\u001b[A" }]);
  });

  test("a character of several bytes may arrive in parts", () => {
    const bytes = Buffer.from("é");
    const input = inputParts();
    input.add(bytes.subarray(0, 1), () => {});
    expect(input.next()).toBeUndefined();
    input.add(bytes.subarray(1), () => {});
    expect(input.next()).toEqual({ key: "é" });
  });

  test("a line feed belongs to a carriage return only if it follows within 100 ms", () => {
    expect(partsOf("\r", 100, "\n")).toEqual([{ key: "\r" }]);
    expect(partsOf("\r", 101, "\n")).toEqual([{ key: "\r" }, { key: "\n" }]);
  });

  test("an Escape that remains after a line does not form a sequence with a later key", () => {
    const input = inputParts();
    const onEscape = vi.fn();
    input.add(Buffer.from("a\r\u001b"), onEscape);
    expect([input.next(), input.next()]).toEqual([{ key: "a" }, { key: "\r" }]);
    input.stop();
    vi.advanceTimersByTime(501);
    input.add(Buffer.from("b"), onEscape);
    expect([input.next(), input.next()]).toEqual([{ key: "b" }, undefined]);
    expect(onEscape).not.toHaveBeenCalled();
  });

  test("the mark at the end of a paste may arrive in parts, however late", () => {
    expect(partsOf(`${start}a\u001b`, 600, end.slice(1))).toEqual([{ paste: "a" }]);
  });
});

describe("input of a prompt", () => {
  const paste = `${start}x\ry\r${end}`;

  /** A prompt that is not open yet. `passed` returns the keys that it has received. */
  function prompt() {
    const stdin = Object.assign(new PassThrough(), { setRawMode: () => {} });
    const input = promptInput(stdin, { onCtrlC: () => {} });
    const received: string[] = [];
    input.keys.on("keypress", (_text, { sequence }) => received.push(sequence));
    input.keys.on("data", (key) => received.push(String(key)));
    const type = (text: string) => stdin.emit("data", Buffer.from(text));
    const passed = () => {
      vi.runAllTimers();
      return received.join("");
    };
    return { ...input, type, passed };
  }

  test("a paste that began before the prompt opened is dropped up to its end, wherever it is cut", () => {
    for (let cut = 1; cut < paste.length; cut += 1) {
      const { type, open, close, passed } = prompt();
      type(`ab\r${paste.slice(0, cut)}`);
      open();
      type(`${paste.slice(cut)}c`);
      expect(passed(), `cut at ${cut}`).toBe("c");
      close();
    }
  });

  test("a paste that began at another prompt is dropped up to its end, wherever it is cut", () => {
    for (let cut = 1; cut < paste.length; cut += 1) {
      const first = prompt();
      first.open();
      first.type(`a\r${paste.slice(0, cut)}`);
      first.close();
      const { type, open, close, passed } = prompt();
      open();
      type(`${paste.slice(cut)}c`);
      expect(passed(), `cut at ${cut}`).toBe("c");
      close();
    }
  });

  test("input that remains when a prompt closes is dropped", () => {
    const first = prompt();
    first.open();
    first.type("a\ry\r");
    first.close();
    expect(terminalParts.next()).toBeUndefined();
  });

  test("an Escape that remains when a prompt closes does not change a key at the next prompt", () => {
    const first = prompt();
    first.open();
    first.type("a\r\u001b");
    first.close();
    const { open, type, close, passed } = prompt();
    open();
    expect(passed()).toBe("");
    type("c");
    expect(passed()).toBe("c");
    close();
  });

  test("before a prompt, typed keys are dropped until the input pauses, for at most 500 ms", async () => {
    const { type, dropTyped, close } = prompt();
    let isDropping = true;
    const quiet = dropTyped().then(() => {
      isDropping = false;
    });
    type("a");
    await vi.advanceTimersByTimeAsync(dropTime);
    type("b");
    await vi.advanceTimersByTimeAsync(dropTime);
    expect(isDropping).toBe(true);
    await vi.advanceTimersByTimeAsync(dropTime);
    expect(isDropping).toBe(false);
    await quiet;

    isDropping = true;
    const capped = dropTyped().then(() => {
      isDropping = false;
    });
    for (let waited = 0; waited < 500; waited += dropTime) {
      expect(isDropping, `after ${waited} ms`).toBe(true);
      type("a");
      await vi.advanceTimersByTimeAsync(dropTime);
    }
    expect(isDropping).toBe(false);
    await capped;
    close();
  });
});
