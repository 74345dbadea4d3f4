import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { wordsAt } from "../../src/cli/help/help.ts";
import { flagsOf } from "../../src/cli/parse/unknown.ts";
import { commands } from "../support/commands.ts";
import { repository } from "../support/process.ts";

/** The files in a folder whose names match `endings`, except generated files. */
const filesIn = (folder: string, endings: RegExp): readonly string[] =>
  readdirSync(join(repository, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.test(entry.name) && !entry.parentPath.endsWith("generated"))
    .map((entry) => relative(repository, join(entry.parentPath, entry.name)));

const documents = [
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...filesIn("docs", /\.md$/),
];

/** The matches of a pattern in a file, each with its place. */
const matchesIn = (file: string, pattern: RegExp) =>
  [...readFileSync(join(repository, file), "utf8").matchAll(pattern)].map(
    ({ 1: found = "", index, input }) => ({
      found,
      place: `${file}:${input.slice(0, index).split("\n").length}`,
    }),
  );

const paths = commands.map(({ path }) => path.join(" "));

/** What is wrong with a command line, given without `gpuctl`; undefined if its command and its flags exist. */
function problemIn(line: string): string | undefined {
  const [own = ""] = line.split(" -- ");
  const words = /^(?:[a-z][a-z-]*(?: |$))*/.exec(own)?.[0].trim().split(" ") ?? [];
  const known = words.findLastIndex(
    (_, at) => paths.includes(words.slice(0, at + 1).join(" ")) || wordsAt(words.slice(0, at + 1)).length > 0,
  );
  const path = words.slice(0, known + 1);
  const isCommand = paths.includes(path.join(" "));
  if (path.length < words.length && !isCommand) return `no command: ${words.join(" ")}`;
  const below = commands.filter((one) => path.every((word, at) => one.path[at] === word));
  const flags = new Set((isCommand ? [{ path }] : below).flatMap((one) => flagsOf(one.path)));
  return [...own.matchAll(/(?<= )--[a-z][a-z-]*/g)].map(([flag]) => flag).find((flag) => !flags.has(flag));
}

test("every command named in a message, in help or in a document exists, with its flags", () => {
  const named = [...documents, ...filesIn("src", /\.tsx?$/)].flatMap((file) => [
    // In a template string, backticks are escaped.
    ...matchesIn(file, /\\`gpuctl ([a-z][^`\\$]*)/g),
    ...matchesIn(file, /(?<!\\)`gpuctl ([a-z][^`\\$]*)`/g),
    ...matchesIn(file, /\bcommandLine\("([a-z -]+)"/g),
    ...matchesIn(file, /\bcommand: "([a-z][a-z -]+)", args:/g),
  ]);
  expect(named.length).toBeGreaterThan(200);
  const wrong = named.map(({ found, place }) => ({ place, problem: problemIn(found) }));
  expect(wrong.filter(({ problem }) => problem !== undefined)).toEqual([]);
});

test("every file of the repository that a document names exists", () => {
  const named = documents.flatMap((file) =>
    // Not `src/commands/NOUN/VERB.ts`, which stands for several files.
    matchesIn(file, /`((?:src|test|scripts|bench|docs|man|completions|\.ci)\/(?![\w./-]*NOUN)[\w./-]+)`/g),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ found }) => !existsSync(join(repository, found)))).toEqual([]);
});
