import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createMemoryHome } from "../support/memory-home.ts";
import { createHome, repository } from "../support/process.ts";
import { skipWithout } from "../support/programs.ts";
import { thorough } from "../support/thorough.ts";
import { blocksOf, namedIn, reader, readersHome, readme, sectionsOf } from "./readme-shell.ts";

/** The `export` and `unset` lines that also apply to later sections: all except those for GPUCTL_STATE_DIR. */
const settings = (commands: string): string =>
  commands
    .split("\n")
    .filter((line) => /^(export|unset) (?!GPUCTL_STATE_DIR)/.test(line))
    .join("\n");

/** Exit codes in a text, in order. */
const codesIn = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, code = ""]) => code);

/** Commands that serve, start programs or use the network. The others run in memory, except in a thorough run. */
const processes = ["sandbox serve *", "rentals run *", "auth login *", "* --base-url *"];

describe("each section of the README works on a new machine", () => {
  const sections = sectionsOf(readme);
  test.for(sections)("$title", async ({ title, commands }, context) => {
    skipWithout("bash", context);
    if (/\bcurl\b/.test(commands)) skipWithout("curl", context);
    if (/gpuctl rentals run\b/.test(commands)) skipWithout("sshd", context);
    const { shell, folder } = await readersHome(
      await (thorough ? createHome(reader) : createMemoryHome(reader, processes)),
    );
    const before = sections.slice(
      0,
      sections.findIndex((section) => section.title === title),
    );
    const script = `exec 2>&1\nset -euo pipefail\n${before.map((section) => settings(section.commands)).join("\n")}\n${commands}`;
    const { code, out } = await shell(script, { shell: "bash", env: { TMPDIR: folder } }).ended;
    expect(code, out).toBe(0);
    expect(codesIn(out, /^exit code (\d+)$/gm)).toEqual(codesIn(commands, /"exit code \$\?" # (\d+)$/gm));
  });
});

test("every npm script in the README exists", async () => {
  const { scripts } = JSON.parse(await readFile(join(repository, "package.json"), "utf8"));
  const named = [...readme.matchAll(/npm (?:run )?(demo|test|build|\w+:\w+)\b/g)].map(([, name]) => name);
  expect(named).toContain("demo");
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining([...new Set(named)]));
});

test("only these commands of the README are not run with its sections", () => {
  expect(blocksOf(readme, "console").flatMap((block) => block.trim().split("\n"))).toEqual([
    "npm ci && npm run demo",
    "npm ci && npm run build && npm link",
    "npm ci && npm pack",
    "npm install --global ./gpuctl-*.tgz",
    "gpuctl setup",
    "gpuctl auth login --base-url https://api.example.com",
    "npm ci && npm test",
  ]);
});

test.each([
  "README.md",
  "docs/library.md",
  "docs/batch.md",
  "docs/cookbook.md",
  "docs/agents.md",
  "docs/local-models.md",
  "docs/containers.md",
  "docs/jobs.md",
  "docs/runtimes.md",
  "docs/leases.md",
  "CONTRIBUTING.md",
])("%s never installs gpuctl from a registry, because gpuctl is not published", (name) => {
  const text = readFileSync(join(repository, name), "utf8");
  const installs = [...text.matchAll(/\b(?:npm (?:install|i|add|exec)|npx|pnpm|yarn|bunx?) [^`\n]*/g)].map(
    ([line]) => line,
  );
  expect(installs.filter((line) => /(?:^|\s)gpuctl(?:@|\s|$)/.test(line))).toEqual([]);
});

test("every repository file and folder in the README exists", () => {
  const named = namedIn(readme);
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
});

test("the README names no host except those of example.com", () => {
  const hosts = [...readme.matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host]) => host);
  expect([...new Set(hosts)].filter((host) => !/\.example\.com$/.test(host ?? ""))).toEqual([]);
});

test("CI tests every release line of Node.js that the documentation names, and Bun and Deno", () => {
  const text = (path: string) => readFileSync(join(repository, path), "utf8");
  const [, versions = ""] =
    /^for version in (.*); do\n {2}check with_node .*\\\n.* test\/e2e /m.exec(text(".ci/full")) ?? [];
  const [oldest, ...lines] = versions.split(" ").map((version) => version.replace(/\..*/, ""));
  const last = lines.pop();
  const named = `${[oldest, ...lines].join(", ")} and ${last}`;
  expect(named).toBe("20, 22, 24 and 26");
  expect(readme).toContain(`every release line of Node.js in use: ${named}.`);
  expect(text("docs/runtimes.md")).toContain(`Each release line in use (${named}) passes`);
  expect(JSON.parse(text("package.json")).engines.node).toBe(`>=${versions.replace(/\.0 .*/, "")}`);
  expect(text(".ci/run")).toMatch(
    new RegExp(`^step with_node (${lines.join("|")}|${last})\\..* test/e2e/`, "m"),
  );
  expect(text(".ci/full").match(/^check on_runtime .*[\s\S]*?\/(bun|deno)/gm)).toHaveLength(2);
});
