import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { exit } from "../../src/cli/exit.ts";
import { commands } from "../../src/commands/index.ts";
import type { CommandSpec, Example } from "../../src/commands/spec.ts";
import { asJson, attendedOf, lineOf, preparedMachines, withFlags } from "./examples.ts";
import { createMachine, type Ran } from "./machine.ts";

const machineFor = preparedMachines();

/** Nobody listens there. */
const deadHost = {
  GPUCTL_BASE_URL: "http://127.0.0.1:1",
  GPUCTL_API_KEY: "key-for-nobody",
  GPUCTL_RETRIES: "0",
};

const cases = commands.map((spec) => ({ name: spec.path.join(" "), spec, example: firstOf(spec) }));

/** Those that come as far as a result where nobody can be asked. */
const unattended = cases.filter(({ example }) => attendedOf(example.command).inPipe !== "refuses");

function firstOf({ examples: [first] }: CommandSpec): Example {
  if (!first) throw new Error("every command has examples");
  return first;
}

/** The same line for an account, sent for good. */
function withAccount(line: string): string {
  const { withAccount: flags = "" } = attendedOf(line);
  return withFlags(line.replaceAll(" --sandbox", "").replaceAll(" --dry-run", ""), flags);
}

/** A failure is the one document on stderr, and nothing is on stdout. */
function expectFailure({ code, out, err }: Ran, exitCode: number, message = /./): void {
  expect({ code, out }, err).toEqual({ code: exitCode, out: "" });
  expect(JSON.parse(err).error).toMatchObject({ exitCode, message: expect.stringMatching(message) });
}

describe.skipIf(process.platform === "win32")("with -o json a failure is one document on stderr", () => {
  test.each(cases)("$name", async ({ spec, example: { command } }) => {
    const machine = await createMachine();
    const asks = spec.operations.length > 0 && !attendedOf(command).reports;
    const [wrong, alone] = await Promise.all([
      machine.pipe(withFlags(asJson(command), "--no-such-flag")).ended,
      asks && machine.pipe(asJson(withAccount(command)), deadHost).ended,
    ]);
    expectFailure(wrong, exit.usage, /--no-such-flag/);
    if (alone) expectFailure(alone, exit.network);
  });
});

describe.skipIf(process.platform === "win32")("stdout that takes nothing", () => {
  test.each(unattended)(
    "of $name: a full disk is an error, a reader that left is none",
    async ({ example }) => {
      const line = lineOf(example);
      const machine = await machineFor(example);
      const another = await createMachine({}, machine);
      const [full, left] = await Promise.all([
        existsSync("/dev/full") && machine.pipe(`${asJson(line)} > /dev/full`).ended,
        another.pipe(`exec 3> >(exec true); wait $!; ${line} >&3`).ended,
      ]);
      if (full) expectFailure(full, exit.fault, /no space left|ENOSPC/i);
      expect(left).toEqual({ code: exit.done, out: "", err: expect.not.stringMatching(/EPIPE|error/i) });
    },
  );
});
