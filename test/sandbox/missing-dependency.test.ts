import { expect, test } from "vitest";
import { MissingDependency } from "../../src/sandbox/index.ts";
import { importOptional } from "../../src/sandbox/packages.ts";

test("the error for a missing package says how to install it", async () => {
  const name = "@photostructure/not-there";
  const loading = importOptional(name, () => import(/* @vite-ignore */ name));
  await expect(loading).rejects.toThrow(MissingDependency);
  await expect(loading).rejects.toThrow(
    "The package @photostructure/not-there is not installed. Install it with: npm install @photostructure/not-there",
  );
});

test("a package that does not support this platform causes an error", async () => {
  const loading = importOptional("some-package", () => Promise.reject(new Error("no binary")));
  await expect(loading).rejects.toThrow("The package some-package cannot be loaded (no binary).");
});

test("an installed package is not reported as missing if a package that it needs is missing", async () => {
  const cause = Object.assign(
    new Error("Cannot find module 'addon'\nRequire stack:\n- /some-package/index.js"),
    {
      code: "MODULE_NOT_FOUND",
    },
  );
  const loading = importOptional("some-package", () => Promise.reject(cause));
  await expect(loading).rejects.toThrow(
    "The package some-package cannot be loaded (Cannot find module 'addon').",
  );
});

test("an installed package is loaded", async () => {
  expect(await importOptional("node:path", () => import("node:path"))).toHaveProperty("join");
});
