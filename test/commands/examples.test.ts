import { describe, expect, test } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import type { CommandNode, Example } from "../../src/command-kit/tree.ts";
import { ConnectionFailed } from "../../src/core/service-errors.ts";
import { createCli, type Outcome } from "../support/cli.ts";
import { commands, operationsOf } from "../support/commands.ts";
import { asJson, needsTerminal, runShown, speaksProtocol, withFlags } from "../support/examples.ts";
import { leftoversIn } from "../support/terminal.ts";
import { everyNth, sample } from "../support/thorough.ts";

const listen = async (_sandbox: unknown, { host, port }: { host: string; port: number }) => ({
  url: `http://${host}:${port}`,
  close: async () => {},
});

/** A CLI in which the commands that prepare the example were run. */
async function cliFor({ after = [] }: Example) {
  const cli = await createCli({ listen });
  for (const line of after) expect(await runShown(cli, line), line).toMatchObject({ code: exit.done });
  return cli;
}

/** A terminal whose user confirms every prompt. */
const interactive = { terminal: 80, prompts: { confirm: async () => true } };

describe.each(commands)("the command $path", ({ examples }) => {
  test("has at least two examples", () => {
    expect(examples.length).toBeGreaterThanOrEqual(2);
  });

  // Only a thorough run includes this test and the next one, because other tests also run examples in a pipe.
  test.each(sample(examples))("succeeds in a pipe: $command", async (example) => {
    const cli = await cliFor(example);
    const { code, out, err } = await runShown(cli, example.command);
    expect({ code, err: code === exit.done ? "" : err }).toEqual({ code: exit.done, err: "" });
    if (!needsTerminal.test(example.command)) expect(out + err).not.toMatch(/\u001b/);
  });

  test.each(
    sample(examples.filter(({ command }) => !needsTerminal.test(command) && !speaksProtocol.test(command))),
  )("prints JSON in a pipe: $command", async (example) => {
    const cli = await cliFor(example);
    const { code, out, err } = await runShown(cli, asJson(example.command));
    expect(code, err).toBe(exit.done);
    expect(() => JSON.parse(out), out).not.toThrow();
    expect(out + err).not.toMatch(/\u001b/);
  });

  test.each(sample(examples, 0))("restores the terminal: $command", async (example) => {
    const cli = await cliFor(example);
    const { code, out, err } = await runShown(cli, example.command, interactive);
    expect(code, err).toBe(exit.done);
    expect(await leftoversIn(out)).toEqual([]);
    expect(await leftoversIn(err)).toEqual([]);
  });
});

/** Expects one JSON document on stderr and nothing on stdout. */
function expectFailure({ code, out, err }: Outcome, exitCode: number, message = /./): void {
  expect({ code, out }, err).toEqual({ code: exitCode, out: "" });
  expect(JSON.parse(err).error).toMatchObject({ exitCode, message: expect.stringMatching(message) });
}

const cases = commands.map((spec) => ({ name: spec.path.join(" "), spec, example: firstOf(spec) }));

function firstOf({ examples: [first] }: CommandNode): Example {
  if (!first) throw new Error("a command has no example");
  return first;
}

/** The same command line for an account, without --sandbox and --dry-run. */
function forAccount(line: string): string {
  const model = /gpuctl chat /.test(line) ? "--model llama" : "";
  return withFlags(line.replaceAll(" --sandbox", "").replaceAll(" --dry-run", ""), model);
}

describe("with -o json, an error is one document on stderr", () => {
  test.each(cases)("for an unknown flag of $name", async ({ example: { command } }) => {
    const { run } = await createCli();
    expectFailure(
      await run(afterPipe(withFlags(asJson(command), "--no-such-flag")), { stdin: "" }),
      exit.usage,
      /--no-such-flag/,
    );
  });

  /** `doctor` is left out, because it reports an unreachable service as the result of a check. */
  const calling = cases.filter(({ name, spec }) => operationsOf(spec).length > 0 && name !== "doctor");

  test.each(everyNth(2, calling))("for a failed connection of $name", async ({ example: { command } }) => {
    const { run } = await createCli({
      respond: () => {
        throw new ConnectionFailed("connection refused", { code: "ECONNREFUSED", sent: false });
      },
    });
    const env = { GPUCTL_BASE_URL: "https://api.example.com", GPUCTL_API_KEY: "key-1", GPUCTL_RETRIES: "0" };
    expectFailure(await run(afterPipe(asJson(forAccount(command))), { env, stdin: "" }), exit.network);
  });

  /** `sandbox serve` is left out, because it is interrupted here as soon as it starts. */
  const nonInteractive = cases.filter(
    ({ name, example }) =>
      name !== "sandbox serve" &&
      !needsTerminal.test(example.command) &&
      !speaksProtocol.test(example.command),
  );

  test.each(everyNth(3, nonInteractive))(
    "for a full disk when $name prints its result",
    async ({ example }) => {
      const cli = await cliFor(example);
      const writeFails = Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
      expectFailure(
        await runShown(cli, asJson(example.command), { writeFails }),
        exit.fault,
        /no space left/,
      );
    },
  );
});

/** The last command in a pipeline. */
const afterPipe = (line: string): string => line.split(" | ").at(-1) ?? "";
