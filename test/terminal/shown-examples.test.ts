import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nouns } from "../../src/cli/generated/tree.ts";
import { helpFor } from "../../src/cli/help/help.ts";
import { exit } from "../../src/cli/report/exit.ts";
import { shownExamples } from "../../src/command-kit/tree.ts";
import { commands } from "../support/commands.ts";
import { createHome, repository } from "../support/process.ts";
import { skipWithout } from "../support/programs.ts";
import { sample } from "../support/thorough.ts";
import { sayYes } from "./examples.ts";

/** The command lines that a help text shows as examples. */
function inHelp(help = ""): readonly string[] {
  const [, examples = ""] = help.split(/^Examples:\n/m);
  return [...examples.matchAll(/^ {2}(\S*.*?)(?: {2,}.*)?$/gm)].flatMap(([, line = ""]) =>
    /^(?:#|\{|$)/.test(line) ? [] : [line],
  );
}

/** The command lines that a manual page shows as examples. */
const inPage = (page: string): readonly string[] =>
  [...page.matchAll(/^\.nf\n([\s\S]*?)\n\.fi$/gm)].flatMap(([, block = ""]) =>
    block
      .replaceAll("\\-", "-")
      .replaceAll("\\&", "")
      .replaceAll("\\e", "\\")
      .split("\n")
      // A line that begins with a brace is a line of a file, not a command line.
      .filter((line) => !line.startsWith("{")),
  );

const look = { width: 80, bold: (text: string) => text };

const ofCommands = new Set(
  commands.flatMap(({ examples }) => shownExamples(examples).flatMap(({ lines }) => lines)),
);
const man = join(repository, "man");
const pages = (await readdir(man)).map((name) => ({ name, text: readFileSync(join(man, name), "utf8") }));
const overviews = [helpFor([], look), ...nouns.map(({ name }) => helpFor([name], look))];

/** Documented command lines that are no command's example. Those for PowerShell are left out: they cannot run here. */
const others = [
  ...new Set([...overviews.flatMap(inHelp), ...pages.flatMap(({ text }) => inPage(text))]),
].filter((line) => !ofCommands.has(line) && !line.includes("powershell"));

describe("examples are found where they are shown", () => {
  test.each(pages.filter(({ name }) => name.endsWith(".1")))("in $name", ({ text }) => {
    expect(inPage(text)).not.toEqual([]);
  });

  test.each(commands)("in the help of $path", ({ path, examples }) => {
    expect(inHelp(helpFor(path, look))).toEqual(shownExamples(examples).flatMap(({ lines }) => lines));
  });
});

const ways = ["terminal", "pipe"] as const;

describe.skipIf(process.platform === "win32")("other documented examples work as written", () => {
  test("and the overviews have examples", () => {
    expect(overviews.flatMap(inHelp)).not.toEqual([]);
  });

  // Alternately on a terminal and in a pipe. In a thorough run, each example runs in both.
  test.for(others.map((line, at) => ({ line, on: sample(ways, at % ways.length) })))(
    "$line",
    async ({ line, on }, context) => {
      const shell = line.includes("completion bash") ? "bash" : "sh";
      skipWithout(shell, context);
      if (on.includes("terminal")) {
        const terminal = (await createHome()).shellOnTerminal(line, { shell });
        await sayYes(terminal);
        expect(await terminal.ended(), terminal.text()).toMatchObject({ code: exit.done });
        expect(await terminal.leftovers()).toEqual([]);
      }
      if (on.includes("pipe")) {
        const { shell: run } = await createHome();
        expect(await run(line, { shell }).ended).toMatchObject({ code: exit.done });
      }
    },
  );
});
