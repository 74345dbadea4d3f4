import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exit } from "../../src/core/exit-codes.ts";
import { createMemoryHome } from "../support/memory-home.ts";
import { createHome, type Home, repository } from "../support/process.ts";
import { skipWithout } from "../support/programs.ts";
import { thorough } from "../support/thorough.ts";
import { readme, sectionsOf } from "./readme-shell.ts";

const guide = readFileSync(join(repository, "docs/batch.md"), "utf8");

const lineCount = async ({ folder }: Pick<Home, "folder">, name: string) =>
  (await readFile(join(folder, name), "utf8")).trimEnd().split("\n").length;

/** The expected result of each section, in addition to its exit code. */
const results: Readonly<Record<string, (home: Pick<Home, "folder">, out: string) => Promise<void>>> = {
  "From a CSV file to a folder of pictures": async (home) => {
    expect(await lineCount(home, "pictures.jsonl")).toBe(2);
    expect(existsSync(join(home.folder, "pictures.files/index.html"))).toBe(true);
    expect(await lineCount(home, "answers.jsonl")).toBe(1);
  },
  "Resume and retry": async (home, out) => {
    expect(out).toContain("2 of 2 lines to send");
    expect(out).toContain("1 of 2 lines to send");
    expect(await readFile(join(home.folder, "answers.jsonl"), "utf8")).toContain("RoCE");
  },
  "Split a batch into shards": async (home) => expect(await lineCount(home, "parts.jsonl")).toBe(3),
  "GNU parallel": async (home) => expect(await lineCount(home, "squares.jsonl")).toBe(12),
  Slurm: async ({ folder }) => expect(existsSync(join(folder, "job.sh"))).toBe(true),
  Kubernetes: async ({ folder }) => expect(existsSync(join(folder, "job.yaml"))).toBe(true),
  "GitHub Actions": async ({ folder }) => expect(existsSync(join(folder, "gpuctl-batch.yml"))).toBe(true),
  "GitLab CI/CD": async ({ folder }) => expect(existsSync(join(folder, ".gitlab-ci.yml"))).toBe(true),
};

describe("each section of the guide works as printed", () => {
  const sections = sectionsOf(guide);

  test("and the test has an expected result for each section", () => {
    expect(sections.map(({ title }) => title)).toEqual(Object.keys(results));
  });

  // Only a thorough run includes GNU parallel, which starts many processes. Other runs run the sections in memory.
  const sampled = thorough ? sections : sections.filter(({ title }) => title !== "GNU parallel");

  test.for(sampled)("$title", async ({ title, commands }, context) => {
    if (title === "GNU parallel") skipWithout("parallel", context);
    if (!thorough) skipWithout("bash", context);
    const home = await (thorough ? createHome : createMemoryHome)({ GPUCTL_SANDBOX: "1" });
    const { code, out, err } = await home.shell(`set -e\n${commands}`).ended;
    expect(code, out + err).toBe(0);
    await results[title]?.(home, out + err);
  });
});

test("the first three sections also work one after another in one folder", async (context) => {
  skipWithout("bash", context);
  const titles = ["From a CSV file to a folder of pictures", "Resume and retry", "Split a batch into shards"];
  const sections = sectionsOf(guide).filter(({ title }) => titles.includes(title));
  const home = await createMemoryHome({ GPUCTL_SANDBOX: "1" });
  const commands = sections.map((section) => section.commands).join("\n");
  const { code, out, err } = await home.shell(`set -e\n${commands}`).ended;
  expect(code, out + err).toBe(0);
});

test("the exit codes in the guide are those of gpuctl", () => {
  const rows = [...guide.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, codes = ""]) =>
    codes.split(", ").map(Number),
  );
  const known: readonly number[] = Object.values(exit);
  expect(rows.length).toBeGreaterThan(5);
  expect(rows.filter((code) => !known.includes(code))).toEqual([]);
});

test("the README shows a batch in three command lines, and links to the guide", () => {
  expect(readme).toContain("(docs/batch.md)");
  const section = sectionsOf(readme).find(({ title }) => title === "Run a batch");
  expect(section?.commands.split("\n").filter((line) => line.startsWith("gpuctl "))).toHaveLength(3);
});
