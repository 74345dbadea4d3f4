import { describe, expect, test } from "vitest";
import { globals, nouns } from "../../src/cli/generated/tree.ts";
import { helpFor } from "../../src/cli/help/help.ts";
import { exit } from "../../src/cli/report/exit.ts";
import { manual } from "../../src/docs/manual.ts";
import { verbatim } from "../../src/docs/roff.ts";
import { createCli } from "../support/cli.ts";
import { commands } from "../support/commands.ts";
import { needsTerminal, runShown } from "../support/examples.ts";

const pages = manual({ nouns, globals, version: "1.2.3", date: "2026-01-02" });

/** The lines of each example at the end of a help text. */
const examplesIn = (help: string): readonly (readonly string[])[] =>
  help
    .slice(help.indexOf("\nExamples:\n") + "\nExamples:\n".length)
    .split(/^ {2}# .*\n/m)
    .slice(1)
    .map(
      (example) =>
        example
          .split("\n\n")[0]
          ?.split("\n")
          .map((line) => line.trim())
          .filter(Boolean) ?? [],
    );

/** The command lines of a manual page, without the escapes of roff. */
const codeIn = (roff: string): readonly string[] =>
  [...roff.matchAll(/^\.nf\n(.*?)^\.fi$/gms)].flatMap(([, code = ""]) =>
    code
      .trimEnd()
      .split("\n")
      .map((line) => line.replaceAll("\\-", "-").replaceAll("\\e", "\\").replaceAll("\\&", "")),
  );

/**
 * Runs command lines one after another on a new machine, on a terminal only if needed. Returns the lines that failed
 * or that printed control sequences without a terminal. Each comes with its stderr and, if it printed control
 * sequences, its stdout.
 */
async function failuresOf(lines: readonly string[]): Promise<readonly string[]> {
  const listen = async () => ({ url: "http://127.0.0.1:1", close: async () => {} });
  const cli = await createCli({ listen });
  const failures: string[] = [];
  for (const line of lines) {
    const { code, out, err } = await runShown(cli, line);
    const hasControls = !needsTerminal.test(line) && /\u001b/.test(out + err);
    if (code !== exit.done || hasControls) failures.push(`${line}\n${hasControls ? out : ""}${err}`);
  }
  return failures;
}

const styled = { width: 80, bold: (text: string) => text };
const cases = commands.map(({ path }) => ({ path, name: path.join(" ") }));

describe.each(cases)("the examples of $name, as shown", ({ path }) => {
  const shown = examplesIn(helpFor(path, styled) ?? "");
  const page = pages[`gpuctl-${path[0]}.1`] ?? "";

  test("are the same in help and in the manual", () => {
    expect(shown.length).toBeGreaterThanOrEqual(2);
    for (const lines of shown) expect(page).toContain(`:\n${verbatim(lines)}`);
  });

  test("work one after another on a new machine", async () => {
    expect(await failuresOf(shown.flat())).toEqual([]);
  });
});

test("the examples of help and the manual page of gpuctl work one after another on a new machine", async () => {
  expect(await failuresOf(examplesIn(helpFor([], styled) ?? "").flat())).toEqual([]);
  const [, examples = ""] = (pages["gpuctl.1"] ?? "").split(".SH EXAMPLES\n");
  expect(await failuresOf(codeIn(examples))).toEqual([]);
});
