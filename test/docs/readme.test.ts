import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, onTestFinished, test } from "vitest";
import { blocksOf, readersMachine, readme, root, sectionsOf } from "./readme-shell.ts";

/** Lines that hold for what follows too. */
const settings = (commands: string): string =>
  commands
    .split("\n")
    .filter((line) => /^(export|unset) (?!GPUCTL_STATE_DIR)/.test(line))
    .join("\n");

/** Exit codes that a text speaks of, in order. */
const codesIn = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, code = ""]) => code);

describe("each section of the README can be followed on a new machine", () => {
  test("what it is about is built", () => {
    expect(existsSync(join(root, "dist/gpuctl.cjs")), "npm run build comes first").toBe(true);
  });

  const sections = sectionsOf(readme);
  test.each(sections)(
    "$title",
    async ({ title, commands }) => {
      const machine = await readersMachine();
      onTestFinished(machine.remove);
      const before = sections.slice(
        0,
        sections.findIndex((section) => section.title === title),
      );
      const script = `set -euo pipefail\n${before.map((section) => settings(section.commands)).join("\n")}\n${commands}`;
      const { exitCode, all } = await execa("bash", ["-c", script], {
        cwd: machine.work,
        env: machine.env,
        extendEnv: false,
        stdin: "ignore",
        all: true,
        reject: false,
        timeout: 60_000,
      });
      expect(exitCode, all).toBe(0);
      expect(codesIn(all ?? "", /^exit code (\d+)$/gm)).toEqual(
        codesIn(commands, /"exit code \$\?" # (\d+)$/gm),
      );
    },
    90_000,
  );
});

test("every npm script that the README names is there", async () => {
  const { scripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const named = [...readme.matchAll(/npm (?:run )?(demo|test|build|\w+:\w+)\b/g)].map(([, name]) => name);
  expect(named).toContain("demo");
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining([...new Set(named)]));
});

test("what cannot be run in a test is kept small", () => {
  expect(blocksOf(readme, "console").flatMap((block) => block.trim().split("\n"))).toEqual([
    "npm ci && npm run demo",
    "npm ci && npm run build && npm link",
    "gpuctl setup",
    "gpuctl auth login --base-url https://api.example.com",
    "npm ci && npm test",
  ]);
});

test("every file and folder of the repository that the README names is there", () => {
  const named = [
    ...readme.matchAll(/\]\(((?!#|https?:)[^)]+)\)|`((?:completions|man|docs)\/[^`]*|CHANGELOG\.md)`/g),
  ].map(([, link, word]) => link ?? word ?? "");
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("the README leads to no host that is not for documentation", () => {
  const hosts = [...readme.matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host]) => host);
  expect([...new Set(hosts)].filter((host) => !/\.example\.com$/.test(host ?? ""))).toEqual([]);
});
