import { describe, expect, test } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import { commands } from "../support/commands.ts";
import { asJson, speaksProtocol } from "../support/examples.ts";
import type { Home } from "../support/process.ts";
import { sample, thorough } from "../support/thorough.ts";
import { lineOf, ofEachKind, preparedHomes, sayYes, specialCaseOf } from "./examples.ts";

const homeFor = preparedHomes();

async function onTerminal(line: string, home: Home) {
  const { atTerminal = sayYes } = specialCaseOf(line);
  const terminal = home.shellOnTerminal(line);
  await atTerminal(terminal);
  const { code } = await terminal.ended();
  return { code, left: await terminal.leftovers(), shown: terminal.text() };
}

async function inPipe(line: string, home: Home, interrupted: boolean) {
  const running = home.shell(line);
  if (interrupted) void running.firstOutput.then(running.interrupt);
  return running.ended;
}

const all = commands.flatMap(({ examples }) => examples.map((example) => ({ example })));

describe.skipIf(process.platform === "win32")(
  "an example of each kind of command has the expected exit code",
  () => {
    test.each(ofEachKind)("on a terminal: $example.command", async ({ example }) => {
      const seen = await onTerminal(lineOf(example), await homeFor(example));
      expect(seen, seen.shown).toMatchObject({ code: exit.done, left: [] });
    });

    // Starts processes for only two examples, unless the run is thorough, because other tests run the examples in pipes
    // without starting processes: `test/docs/shown-examples.test.ts` as written, and `test/commands/shapes.test.ts` with
    // `-o json`.
    const printing = all.filter(({ example }) => !speaksProtocol.test(example.command));
    test.each(thorough ? printing : ofEachKind.slice(0, 2))(
      "in a pipe as JSON: $example.command",
      async ({ example }) => {
        const { inPipe: special } = specialCaseOf(example.command);
        const code = special === "refuses" ? exit.usage : exit.done;
        const ran = await inPipe(
          asJson(lineOf(example)),
          await homeFor(example),
          special === "is interrupted",
        );
        expect(ran, ran.err).toMatchObject({ code });
        expect(ran.out + ran.err).not.toMatch(/\u001b/);
        if (code !== exit.done) expect(ran.out).toBe("");
        else expect(() => JSON.parse(ran.out), ran.out).not.toThrow();
      },
    );

    test.each(sample(ofEachKind, 3))("in a pipe as written: $example.command", async ({ example }) => {
      const { inPipe: special } = specialCaseOf(example.command);
      const ran = await inPipe(lineOf(example), await homeFor(example), special === "is interrupted");
      expect(ran, ran.err).toMatchObject({ code: special === "refuses" ? exit.usage : exit.done });
      expect(ran.out + ran.err).not.toMatch(/\u001b/);
    });
  },
);
