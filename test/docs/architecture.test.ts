import { readdirSync } from "node:fs";
import { expect, test } from "vitest";

/** Generated files do not count. */
const maxFiles = 15;

test(`no folder of src holds more than ${maxFiles} files directly`, () => {
  const counts = new Map<string, number>();
  for (const entry of readdirSync("src", { recursive: true, withFileTypes: true })) {
    const folder = entry.parentPath;
    if (entry.isFile() && !folder.endsWith("generated")) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  expect(counts.size).toBeGreaterThan(50);
  expect([...counts].filter(([, count]) => count > maxFiles)).toEqual([]);
});
