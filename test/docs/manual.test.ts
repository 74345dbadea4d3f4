import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { globals, nouns } from "../../src/cli/generated/tree.ts";
import { exit } from "../../src/cli/report/exit.ts";
import { topics } from "../../src/core/topics.ts";
import { latestReleaseDate, sourceDate } from "../../src/docs/changelog.ts";
import { environmentOf } from "../../src/docs/environment.ts";
import { exitCodes } from "../../src/docs/exit-codes.ts";
import { manual } from "../../src/docs/manual.ts";
import { examples, list, literal, page, plain, section } from "../../src/docs/roff.ts";

import { runProgram } from "../support/process.ts";
import { skipWithout } from "../support/programs.ts";

const pages = manual({ nouns, globals, version: "1.2.3", date: "2026-01-02" });
const root = pages["gpuctl.1"] ?? "";

describe("the manual", () => {
  test("has a page for gpuctl, one for each group of commands and one for each topic", () => {
    expect(Object.keys(pages)).toEqual([
      "gpuctl.1",
      ...nouns.map(({ name }) => `gpuctl-${name}.1`),
      ...topics.map(({ name }) => `gpuctl-${name}.7`),
    ]);
  });

  test("has the same pages as the list in package.json", async () => {
    const { man } = JSON.parse(await readFile("package.json", "utf8"));
    expect([...man].sort()).toEqual(
      Object.keys(pages)
        .map((name) => `./man/${name}`)
        .sort(),
    );
  });

  test.for(Object.entries(pages))("%s passes mandoc's lint", async ([, text], context) => {
    skipWithout("mandoc", context);
    const lint = await runProgram("mandoc", ["-T", "lint", "-W", "all"], { input: text });
    expect(lint).toEqual({ code: 0, out: "", err: "" });
  });

  test.each(nouns)("describes every command, flag and example of $name", ({ name, commands }) => {
    const text = pages[`gpuctl-${name}.1`] ?? "";
    for (const spec of commands) {
      expect(text).toContain(`.SS \\fB${literal(`gpuctl ${spec.path.join(" ")}`)}\\fR`);
      for (const flag of spec.flags) expect(text).toContain(`\\fB${literal(`--${flag.names[0]}`)}\\fR`);
      for (const { command } of spec.examples) expect(text).toContain(literal(command));
    }
  });

  test("describes every global flag, variable and exit code", () => {
    for (const {
      names: [name],
    } of globals)
      expect(root).toContain(literal(name));
    for (const { name } of environmentOf(globals)) expect(root).toContain(`\\fB${name}\\fR`);
    for (const [code] of exitCodes) expect(root).toContain(`.TP\n\\fB${code}\\fR\n`);
  });

  test("has the given version and date", () => {
    expect(root).toContain('.TH GPUCTL 1 2026-01-02 "gpuctl 1.2.3" "gpuctl manual"\n');
  });

  test.each(Object.entries(pages))("%s is ASCII, and no prose line is over 80 characters", (_name, text) => {
    const prose = text.replace(/^\.nf\n.*?^\.fi$/gms, "").replace(/^\.TP\n.*$/gm, "");
    expect(text).toMatch(/^[\n\x20-\x7e]+\n$/);
    expect(prose.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(text).not.toMatch(/[ \t]$|\n\n/m);
  });
});

test("the documented exit codes are those of gpuctl", () => {
  expect(exitCodes.map(([code]) => code)).toEqual(Object.values(exit));
});

describe("text in a manual page", () => {
  test.each([
    [".TH is no request here", "\\&.TH is no request here"],
    ["'tis", "\\&'tis"],
    ["back\\slash", "back\\eslash"],
    ["a … b", "a \\[u2026] b"],
  ])("%j is written as %j", (text, roff) => {
    expect(plain(text)).toBe(roff);
  });

  test("keeps the hyphens of commands", () => {
    expect(literal("--dry-run")).toBe("\\-\\-dry\\-run");
  });

  test("is broken at spaces if a line is long, and keeps a dot at the start of a new line", () => {
    const made = page({ name: "x", number: 1, date: "2026-01-02", version: "1" }, [
      section("NAME", `${"word ".repeat(15)}.dot`),
    ]);
    expect(made).toContain(`${"word ".repeat(14)}word\n\\&.dot\n`);
  });

  test("is not broken into several lines in examples and terms", () => {
    const long = "w ".repeat(100).trim();
    const body = [list([[long, "meaning"]]), examples([{ text: "t", command: long }])];
    expect(
      page({ name: "x", number: 1, date: "2026-01-02", version: "1" }, [section("X", ...body)]).split(long),
    ).toHaveLength(3);
  });
});

describe("the date of the manual", () => {
  test("is the date of the latest release in the changelog", () => {
    expect(
      latestReleaseDate("# C\n\n## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n## [0.1.0] - 2026-11-20\n"),
    ).toBe("2026-12-01");
    expect(() => latestReleaseDate("# C\n")).toThrow("CHANGELOG.md");
  });

  test("is the date that a packager sets", () => {
    expect(sourceDate("1700000000")).toBe("2023-11-14");
    expect(sourceDate(undefined)).toBeUndefined();
    expect(sourceDate("yesterday")).toBeUndefined();
  });
});
