import { expect, test } from "vitest";
import { MissingDependency } from "../../src/sandbox/index.ts";
import { optional } from "../../src/sandbox/packages.ts";

test("a package that is not installed is named, with how to get it", async () => {
  const name = "@photostructure/not-there";
  const loading = optional(name, () => import(/* @vite-ignore */ name));
  await expect(loading).rejects.toThrow(MissingDependency);
  await expect(loading).rejects.toThrow(
    "The package @photostructure/not-there is not installed. Install it with: npm install @photostructure/not-there",
  );
});

test("a package that has nothing for this machine says so", async () => {
  const loading = optional("some-package", () => Promise.reject(new Error("no binary")));
  await expect(loading).rejects.toThrow("The package some-package cannot be loaded (no binary).");
});

test("a package that is there is loaded", async () => {
  expect(await optional("node:path", () => import("node:path"))).toHaveProperty("join");
});
