import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { repository } from "../support/process.ts";
import { readme } from "./readme-shell.ts";

const text = readFileSync(join(repository, "SECURITY.md"), "utf8");

test("every test that SECURITY.md names exists", () => {
  const named = [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, path = ""]) => path);
  expect(named).toContain("test/cli/key-hosts.test.ts");
  expect(named.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
});

test("SECURITY.md and the README name the commands that print a key", async () => {
  const { run, sandbox } = await createCli();
  for (const command of ["auth token", "sandbox keys"]) {
    expect((await run(`${command} --sandbox`)).out).toContain(sandbox.keys.full);
    for (const one of [text, readme]) expect(one).toMatch(new RegExp(`\`${command}\`[^.]* prints?\\s`));
  }
});

test("every promise in SECURITY.md names a test", () => {
  const promises = text.split(/^- /m).slice(1);
  expect(promises.length).toBeGreaterThan(10);
  expect(promises.filter((promise) => !/`test\/[^`]+`/.test(promise.split("\n\n")[0] ?? ""))).toEqual([]);
});

test("SECURITY.md is linked from the README, is in the package, and contains no URL and no email address", () => {
  expect(readme).toContain("(SECURITY.md)");
  const { files } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
  expect(files).toContain("SECURITY.md");
  expect(text).not.toMatch(/https?:|@\w+\.\w/);
});
