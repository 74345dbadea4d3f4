import { describe, expect, test } from "vitest";
import { globals, nouns } from "../../src/cli/generated/tree.ts";
import { exit } from "../../src/cli/report/exit.ts";
import { topics } from "../../src/core/topics.ts";
import { outputFormats } from "../../src/core/view.ts";
import { environmentOf } from "../../src/docs/environment.ts";
import { manual } from "../../src/docs/manual.ts";
import { errorFields } from "../../src/docs/output.ts";
import { topicsOf } from "../../src/docs/topics.ts";
import { createCli } from "../support/cli.ts";
import { commands } from "../support/commands.ts";

/** Help's line width when stdout is not a terminal. */
const pipeWidth = 80;

/** Matches the start of the section that is the same for every command. */
const globalPart = /^Global flags \(see/m;

/** The lines that help wraps; it never wraps command lines. */
const wrappedLines = (text: string) =>
  text.split("\n").filter((line) => !/^(Usage: |\s+(gpuctl|mkdir|printf|printenv) )/.test(line));

describe.each(commands)("help of $path", (spec) => {
  test("matches the snapshot", async () => {
    const { run } = await createCli();
    const { code, out, err } = await run([...spec.path, "--help"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out.split(globalPart)[0]).toMatchSnapshot();
    for (const line of wrappedLines(out)) expect(line.length, line).toBeLessThanOrEqual(pipeWidth);
  });

  test("shows every flag, argument and example", async () => {
    const { run } = await createCli();
    const { out } = await run([...spec.path, "--help"]);
    for (const { names, negatable } of spec.flags) {
      expect(out).toContain(`--${negatable ? "[no-]" : ""}${names[0]}`);
      for (const name of names.slice(1)) expect(out).toContain(`--${name}`);
    }
    for (const { name } of spec.args) expect(out).toContain(name);
    for (const { command } of spec.examples) expect(out).toContain(command);
  });
});

const groups = nouns.filter(({ commands: own }) => own.every(({ path }) => path.length > 1));

test.each(["", ...groups.map(({ name }) => name), "rentals create", "rentals list"])(
  "help of gpuctl %s matches the snapshot, with the global flags",
  async (line) => {
    const { run } = await createCli();
    const { code, out } = await run(`${line} --help`);
    expect(code).toBe(0);
    expect(out).toMatchSnapshot();
    for (const text of wrappedLines(out)) expect(text.length, text).toBeLessThanOrEqual(pipeWidth);
  },
);

test.each([80, 100])("gpuctl alone prints at most 30 lines of at most %i columns", async (terminal) => {
  const { run } = await createCli();
  const { code, out, err } = await run([], { terminal, env: { NO_COLOR: "1" } });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const lines = out.trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(30);
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(terminal);
  for (const { name, summary } of nouns) expect(out).toMatch(new RegExp(`^  ${name} +${summary}$`, "m"));
  for (const more of ["setup", "COMMAND --help", "--help"]) expect(out).toContain(`  gpuctl ${more} `);
  expect(await run("--help")).not.toMatchObject({ out });
});

describe("help on a terminal", () => {
  const titles = (out: string) => [...out.matchAll(/\u001b\[1m(.*?)\u001b\[22m/g)].map(([, title]) => title);

  test.each([
    [60, 60],
    [100, 100],
    [200, 100],
    [20, 40],
  ])("of %i columns is at most %i columns wide", async (columns, width) => {
    const { run } = await createCli();
    const { out } = await run("rentals wait --help", { terminal: columns, env: { NO_COLOR: "1" } });
    const longest = Math.max(...wrappedLines(out.split(globalPart)[0] ?? "").map(({ length }) => length));
    expect(longest).toBeLessThanOrEqual(width);
    expect(longest).toBeGreaterThan(width - 15);
  });

  test("has bold titles unless the environment disables colors", async () => {
    const { run } = await createCli();
    const shown = async (env: Record<string, string>) =>
      titles((await run("rentals wait --help", { terminal: 80, env })).out);
    expect(await shown({})).toEqual([
      "Arguments:",
      "Flags:",
      "Global flags (see `gpuctl help`):",
      "Examples:",
    ]);
    expect(await shown({ NO_COLOR: "1" })).toEqual([]);
    expect(await shown({ TERM: "dumb" })).toEqual([]);
    expect(titles((await run("rentals wait --help")).out)).toEqual([]);
  });
});

describe("gpuctl help", () => {
  test.each(["", "rentals", "rentals create", "rentals create vm", "image", "help"])(
    "%s shows the same as --help",
    async (words) => {
      const { run } = await createCli();
      const { code, out, err } = await run(`help ${words}`);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(out).toBe((await run(`${words} --help`)).out);
    },
  );

  test.each(topics)("$name matches the snapshot", async ({ name }) => {
    const { run } = await createCli();
    const { code, out, err } = await run(`help ${name}`);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatchSnapshot();
    for (const line of wrappedLines(out)) expect(line.length, line).toBeLessThanOrEqual(pipeWidth);
  });

  test.each([
    ["rentls", "rentals"],
    ["rentals lst", "list"],
    ["rentals create vn", "vm"],
    ["exit-code", "exit-codes"],
    ["environmnet", "environment"],
  ])("%s suggests %s", async (words, nearest) => {
    const { run } = await createCli();
    const { code, out, err } = await run(`help ${words}`);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(`(Did you mean ${nearest}?)`);
  });

  test.each(["exit-codes now", "nothing at all", "rentals list everything"])(
    "%s is an error",
    async (words) => {
      const { run } = await createCli();
      expect(await run(`help ${words}`)).toMatchObject({ code: 2, out: "" });
    },
  );
});

describe("the topics", () => {
  test("list every exit code, variable and format", async () => {
    const { run } = await createCli();
    const text = async (name: string) => (await run(`help ${name}`)).out;
    for (const code of Object.values(exit))
      expect(await text("exit-codes")).toMatch(new RegExp(`^  ${code} `, "m"));
    for (const { name } of environmentOf(globals)) expect(await text("environment")).toContain(name);
    for (const name of outputFormats)
      expect(await text("output")).toMatch(new RegExp(`^  ${name} +[A-Z]`, "m"));
  });

  test("list the fields of an error", async () => {
    const { run } = await createCli();
    const { err } = await run("rentals get 1 -o json --sandbox");
    expect(errorFields.map(([name]) => name).sort()).toEqual(Object.keys(JSON.parse(err).error).sort());
  });

  test("are the same in the manual", () => {
    const pages = manual({ nouns, globals, version: "1.2.3", date: "2026-01-02" });
    const plain = (text: string) =>
      text
        .replace(/\\f[BRI]|\\&/g, "")
        .replaceAll("\\-", "-")
        .replaceAll("\\e", "\\")
        .replace(/\s+/g, " ");
    for (const { name, sections } of topicsOf(globals)) {
      const page = plain(pages[`gpuctl-${name}.7`] ?? "");
      const texts = sections.flatMap(({ parts }) =>
        parts.flatMap((part) =>
          typeof part === "string" ? [part] : "terms" in part ? part.terms.flat() : part.code,
        ),
      );
      for (const text of texts) expect(page).toContain(text);
    }
  });
});
