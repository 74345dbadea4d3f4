import { describe, expect, test } from "vitest";
import { flagsOf } from "../../src/commands/flags.ts";
import { commands, nouns } from "../../src/commands/index.ts";
import { createCli } from "../support/cli.ts";

const widest = 100;

/** Lines that help lays out itself; command lines are never broken. */
const laidOut = (text: string) =>
  text.split("\n").filter((line) => !/^\s+(gpuctl|printf|printenv) /.test(line));

describe.each(commands)("help of $path", (spec) => {
  test("is pinned", async () => {
    const { run } = await createCli();
    const { code, out, err } = await run([...spec.path, "--help"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out.split("Global flags:")[0]).toMatchSnapshot();
    for (const line of laidOut(out)) expect(line.length, line).toBeLessThanOrEqual(widest);
  });

  test("shows every flag, every word and every example", async () => {
    const { run } = await createCli();
    const { out } = await run([...spec.path, "--help"]);
    for (const { names, negatable } of flagsOf(spec)) {
      expect(out).toContain(`--${negatable ? "[no-]" : ""}${names[0]}`);
      for (const name of names.slice(1)) expect(out).toContain(`--${name}`);
    }
    for (const { name } of spec.positionals ?? []) expect(out).toContain(name);
    for (const { command } of spec.examples) expect(out).toContain(command);
  });
});

test.each([["gpuctl", ""], ...nouns.map(({ name }) => [name, name])])(
  "help of %s is pinned",
  async (_name, line) => {
    const { run } = await createCli();
    const { code, out } = await run(`${line} --help`);
    expect(code).toBe(0);
    expect(out).toMatchSnapshot();
  },
);
