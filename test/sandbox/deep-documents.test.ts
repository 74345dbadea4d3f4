import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { parseDocument } from "../../src/sandbox/documents.ts";
import { ControlRefused } from "../../src/sandbox/errors.ts";

test.each([
  ["maps that do not end", '{"a":'.repeat(3000)],
  ["lists", "[".repeat(3000) + "]".repeat(3000)],
  ["lists in block style", "- ".repeat(3000)],
  ["keys in block style", "? ".repeat(3000)],
  ["maps in block style", Array.from({ length: 300 }, (_, at) => `${" ".repeat(at)}a:\n`).join("")],
])("a document with too many levels of %s is refused, and not parsed as YAML", async (_, text) => {
  const error: unknown = await parseDocument(text, "the seed").catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(ControlRefused);
  expect(String(error)).toContain("the seed is nested more than 200 levels deep");
});

test.each([
  ["a long list", Array.from({ length: 1000 }, (_, at) => `- a: ${at}\n`).join("")],
  ["a long line", `{${Array.from({ length: 1000 }, (_, at) => `"k${at}": [{"a": 1}]`).join(", ")}}`],
  ["indented JSON", JSON.stringify({ a: Array.from({ length: 500 }, (_, at) => ({ b: [at] })) }, null, 8)],
  ["a text with brackets", `- text: "${"[{".repeat(1000)}"\n- |\n  ${"- ".repeat(1000)}\n`],
])("%s is parsed", async (_, text) => {
  const { content } = await parseDocument(text, "the seed");
  expect(content).toBeDefined();
});

test("a document with 1,001 aliases is refused, because the parser looks at all earlier anchors for each alias", async () => {
  const text = Array.from({ length: 1001 }, (_, at) => `- &a${at} b\n- *a${at}\n`).join("");
  await expect(parseDocument(text, "the seed")).rejects.toThrow("the seed has more than 1000 aliases");
});

test("a key that is a list causes no warning from the parser", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  await parseDocument("? [a, b]\n: c\n", "the seed");
  // Node.js reports a warning in a later tick.
  await setImmediate();
  process.off("warning", note);
  expect(warnings).toEqual([]);
});
