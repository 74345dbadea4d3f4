import { describe, expect, test } from "vitest";
import { exit } from "../../src/cli/exit.ts";
import { commands } from "../../src/commands/index.ts";
import { asJson, attendedOf, lineOf, preparedMachines, sayYes } from "./examples.ts";
import { createMachine, type Machine } from "./machine.ts";

const machineFor = preparedMachines();

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
    const { inPipe: special } = attendedOf(example.command);
    const line = lineOf(example);
    const interrupted = special === "is interrupted";
    const code = special === "refuses" ? exit.usage : exit.done;
    const machine = await machineFor(example);
    // As it is written, one example of a command is enough: the others differ in what they ask for.
    const lines = example === examples[0] ? [asJson(line), line] : [asJson(line)];
    const copies = await Promise.all(lines.map(() => createMachine({}, machine)));
    const [seen, ...piped] = await Promise.all([
      onTerminal(line, machine),
      ...lines.map((one, at) => inPipe(one, copies[at] ?? machine, interrupted)),
    ]);

    expect(seen, seen.shown).toMatchObject({ code: exit.done, left: [] });
    for (const ran of piped) {
      expect(ran, ran.err).toMatchObject({ code });
      expect(ran.out + ran.err).not.toMatch(/\u001b/);
    }
    const json = piped[0]?.out ?? "";
    if (code !== exit.done) expect(json).toBe("");
    else expect(() => JSON.parse(json), json).not.toThrow();
  });
});
