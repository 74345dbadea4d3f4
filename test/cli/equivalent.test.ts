import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { quoted } from "../../src/core/text.ts";
import type { Prompts } from "../../src/system/types.ts";
import { createCli } from "../support/cli.ts";
import { fc, runs } from "../support/property.ts";

/** The arguments that a shell parses from a line. */
function shellWords(line: string): readonly string[] {
  const printed = execFileSync("sh", ["-c", `for word in ${line}; do printf '%s\\0' "$word"; done`]);
  return printed.toString().split("\0").slice(0, -1);
}

describe.skipIf(process.platform === "win32")("a quoted line", () => {
  test("is parsed by a shell to the original arguments", () => {
    const special = fc.constantFrom(
      "'",
      '"',
      "\\",
      "$HOME",
      "`id`",
      "\n",
      " ",
      "~",
      "*",
      "!",
      "#",
      "-",
      "é",
      "=",
    );
    const word = fc
      .array(fc.oneof(special, fc.string({ unit: "binary" })), { maxLength: 8 })
      .map((parts) => parts.join("").replaceAll("\0", ""));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), (words) => {
        expect(shellWords(words.map(quoted).join(" "))).toEqual(words);
      }),
      runs(60),
    );
  });
});

describe("the line that needs no prompts", () => {
  const lines: readonly [string, readonly string[]][] = [
    [`rentals create bare-metal --label "it's mine" --sandbox`, ["infiniband", "16"]],
    ["volumes create --sandbox", ["a-label", "512"]],
    ["rentals get --sandbox", ["-4711"]],
    ["rentals get --sandbox", ["it's $HOME"]],
    ["rentals get --sandbox --", ["-1"]],
    ["volumes attach 501 --sandbox", ["1001, 1002"]],
    ["reserve convert --sandbox", ["1001", "30", "129600"]],
  ];

  test.each(lines)("sends the same request: %s %j", async (line, given) => {
    const { run } = await createCli();
    const left = [...given];
    const next = async () => left.shift() ?? "512";
    const prompts: Partial<Prompts> = { text: next, choose: next, confirm: async () => true };
    const prompted = await run(line, { terminal: 80, prompts });
    const expected = /To run this again without prompts: gpuctl (.*)\n/.exec(prompted.err)?.[1] ?? "";
    const again = await run(shellWords(expected), { terminal: 80, prompts: { confirm: async () => true } });
    expect(again.err).not.toContain("without prompts");
    const bodies = ({ requests }: typeof prompted) =>
      requests.map(({ path, query, body }) => ({ path, query, body }));
    expect(bodies(again)[0]).toEqual(bodies(prompted)[0]);
    expect(again.code).toBe(prompted.code);
  });
});
