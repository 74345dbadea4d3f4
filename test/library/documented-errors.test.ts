import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import * as client from "../../src/library/client.ts";

test("the table of errors lists the exported error classes", async () => {
  const text = await readFile("docs/library.md", "utf8");
  const [, table = ""] = /^\| `name` \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(text) ?? [];
  const listed = table.split("\n").flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)]);
  const exported = Object.entries(client).flatMap(([name, value]) =>
    value.prototype instanceof Error ? [name] : [],
  );
  expect(listed.map(([, name]) => name).sort()).toEqual(exported.sort());
});
