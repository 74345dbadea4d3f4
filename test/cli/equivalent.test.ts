import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { quoted } from "../../src/core/text.ts";
import type { Prompts } from "../../src/system/types.ts";
import { createCli } from "../support/cli.ts";
import { anyCharacter, fc, runs } from "../support/property.ts";

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
      .array(fc.oneof(special, fc.string({ unit: anyCharacter })), { maxLength: 8 })
      .map((parts) => parts.join("").replaceAll("\0", ""));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), (words) => {
        expect(shellWords(words.map(quoted).join(" "))).toEqual(words);
      }),
      runs(60),
    );
  });
});

describe("the printed line that needs no prompts", () => {
  const rentals = [
    "rentals create vm --gpus 1 --sandbox --yes",
    "rentals create vm --gpus 1 --sandbox --yes",
  ];
  const lines: readonly [string, readonly string[], ...string[]][] = [
    [`rentals create bare-metal --label "it's mine" --sandbox`, ["h200", "16", "us-central-1", "infiniband"]],
    ["volumes create --sandbox", ["us-central-1", "a-label", "512"]],
    ["volumes create --sandbox", ["us-central-1", "a label", "512"]],
    ["rentals get --sandbox", ["-4711"]],
    ["rentals get --sandbox", ["it's $HOME"]],
    ["rentals get --sandbox --", ["-1"]],
    [
      "rentals get --sandbox",
      ["my 'rental'"],
      "rentals create vm --gpus 1 --label \"my 'rental'\" --sandbox",
    ],
    ["volumes attach 501 --sandbox", ["1001, 1002"]],
    ["volumes attach 501 --sandbox", ["1001, 1002"], ...rentals],
    ["rentals run --sandbox --dry-run true x", ["1"]],
    ["rentals run --sandbox --dry-run true -- -x", ["1"]],
    ["reserve convert --sandbox", ["1001", "30", "1296.00"]],
    ["reserve convert --sandbox", ["1001", "30", "1296.00"], ...rentals],
  ];

  test.each(lines)("sends the same requests as the original line: %s %j", async (line, given, ...before) => {
    const [asked, unasked] = [await createCli(), await createCli()];
    for (const { run } of [asked, unasked]) for (const one of before) await run(one);
    const left = [...given];
    const next = async () => left.shift() ?? "no answer";
    // If the prompt lists values of the service, choose to type another value.
    const choose: Prompts["choose"] = async ({ always }) => always ?? next();
    const prompts: Partial<Prompts> = { text: next, choose, confirm: async () => true };
    const prompted = await asked.run(line, { terminal: 80, prompts });
    expect(left).toEqual([]);
    const expected = /To run this again without prompts: gpuctl (.*)\n/.exec(prompted.err)?.[1] ?? "";
    expect(expected).toContain("--sandbox");
    const again = await unasked.run(shellWords(expected), { terminal: 80 });
    expect(again.err).not.toContain("without prompts");
    const sent = ({ requests }: typeof prompted) =>
      requests.map(({ method, path, query, body }) => ({ method, path, query, body }));
    // With prompts, gpuctl first requests the values to choose from, so only the last requests are compared.
    expect(sent(again)).toEqual(sent(prompted).slice(-again.requests.length));
    expect(again.code).toBe(prompted.code);
  });
});
