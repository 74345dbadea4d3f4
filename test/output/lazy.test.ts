import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { drawn, inPipe, machines } from "./drawing.ts";

const loaded = () =>
  Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes("cli-table3"));

test("json and identifiers do not wait for what draws tables", async () => {
  await drawn([{ id: 1 }], machines, { ...inPipe, format: "json" });
  await drawn([{ id: 1 }], machines, { ...inPipe, format: "id" });
  expect(loaded()).toBe(false);
  await drawn([{ id: 1 }], machines, inPipe);
  expect(loaded()).toBe(true);
});
