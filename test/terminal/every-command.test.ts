import { describe, expect, test } from "vitest";
import { exit } from "../../src/cli/exit.ts";
import { commands } from "../../src/commands/index.ts";
import { asJson, attendedOf, lineOf, machineFor, sayYes } from "./examples.ts";
import { createMachine, type Machine } from "./machine.ts";

async function onTerminal(line: string, machine: Machine) {
  const { person = sayYes } = attendedOf(line);
  const terminal = machine.terminal(line);
  await person(terminal);
  const { code } = await terminal.ended();
  return { code, left: await terminal.leftovers(), shown: terminal.text() };
}

async function inPipe(line: string, machine: Machine, interrupted: boolean) {
  const running = machine.pipe(line);
  if (interrupted) void running.firstOutput.then(running.interrupt);
  return running.ended;
}

describe.skipIf(process.platform === "win32").each(commands)("$path", ({ examples }) => {
  test.each(examples)("$command", async (example) => {
    const { inPipe: special, noJson } = attendedOf(example.command);
    const line = lineOf(example);
    const interrupted = special === "is interrupted";
    const code = special === "refuses" ? exit.usage : exit.done;
    const machine = await machineFor(example);
    const [forPipe, forJson] = [await createMachine({}, machine), await createMachine({}, machine)];
    const [seen, piped, json] = await Promise.all([
      onTerminal(line, machine),
      inPipe(line, forPipe, interrupted),
      inPipe(asJson(line), forJson, interrupted),
    ]);

    expect(seen, seen.shown).toMatchObject({ code: exit.done, left: [] });
    expect(piped, piped.err).toMatchObject({ code });
    expect(piped.out + piped.err + json.out + json.err).not.toMatch(/\u001b/);
    expect(json, json.err).toMatchObject({ code });
    if (code !== exit.done) expect(json.out).toBe("");
    else if (noJson === undefined) expect(() => JSON.parse(json.out), json.out).not.toThrow();
  });
});
