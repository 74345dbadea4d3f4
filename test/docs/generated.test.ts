import { readdir, readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { derivedTexts } from "../../scripts/derived-texts.ts";
import { withTables } from "../../src/docs/readme.ts";

const { version } = JSON.parse(await readFile("package.json", "utf8"));
const texts = await derivedTexts({ version, useSourceDateEpoch: false });

describe("generated files are up to date", () => {
  test.each(texts)("%s", async (path, text) => {
    expect(await readFile(path, "utf8"), "npm run generate").toBe(text);
  });

  test.each(["man", "completions"])("%s has no other files", async (folder) => {
    const derived = texts.map(([path]) => path).filter((path) => path.startsWith(`${folder}/`));
    expect((await readdir(folder)).map((name) => `${folder}/${name}`).sort()).toEqual([...derived].sort());
  });
});

test("a table is written between its markers, and the rest is not changed", () => {
  const before = "a\n<!-- t -->\n\nold\n\n<!-- /t -->\nb\n";
  expect(withTables(before, { t: "new" })).toBe("a\n<!-- t -->\n\nnew\n\n<!-- /t -->\nb\n");
  expect(() => withTables("a\n", { t: "new" })).toThrow("no markers for the table t");
});

test("the newest version in the changelog is the version of the package", async () => {
  const changelog = await readFile("CHANGELOG.md", "utf8");
  expect(/^## \[(\d[^\]]*)\]/m.exec(changelog)?.[1]).toBe(version);
});
