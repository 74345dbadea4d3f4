import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import type { Example } from "../../src/commands/spec.ts";
import type { Terminal } from "../support/terminal.ts";
import { createMachine, type Machine } from "./machine.ts";

/** What is special about the examples that a pattern finds. */
export interface Attended {
  readonly examples: RegExp;
  /** What a person at the terminal does while it runs. */
  readonly person?: (terminal: Terminal) => Promise<void>;
  /** What takes the place of a person where there is none: Ctrl-C after the first output, or nothing can be done. */
  readonly inPipe?: "is interrupted" | "refuses";
  /** Flags that are added for the machine of a test. */
  readonly flags?: string;
  /** Flags that it cannot do without when it is not for the sandbox. */
  readonly withAccount?: string;
  /** A service that does not answer is no failure, but a part of what it reports. */
  readonly reports?: true;
}

const typedKey = "key-typed-unseen-1234";

/** The cases that need more than to be run. */
const cases: readonly Attended[] = [
  {
    examples: /^gpuctl auth login(?!.*(?:--with-token|--key-command))/,
    person: async (terminal) => {
      await terminal.waitFor("API key");
      terminal.type(typedKey);
      terminal.press("enter");
    },
    inPipe: "refuses",
  },
  { examples: /^gpuctl setup/, person: setUpSandbox, inPipe: "refuses" },
  {
    examples: /^gpuctl sandbox serve/,
    // The port of an example may be taken on the machine that tests.
    flags: "--port 0",
    person: async (terminal) => {
      await terminal.waitFor("http://");
      terminal.press("ctrl-c");
    },
    inPipe: "is interrupted",
  },
  { examples: /^gpuctl doctor/, reports: true },
  { examples: /gpuctl chat /, withAccount: "--model llama" },
];

/** The example as it is run. */
export function lineOf({ command }: Example): string {
  const { flags } = attendedOf(command);
  return flags === undefined ? command : withFlags(command, flags);
}

export const attendedOf = (example: string): Attended =>
  cases.find(({ examples }) => examples.test(example)) ?? { examples: /^/ };

/** Says yes when that is asked before the program ends. */
export async function sayYes(terminal: Terminal): Promise<void> {
  try {
    await terminal.waitFor((text) => text.replaceAll("\n", "").endsWith("(y/N)"));
  } catch {
    return;
  }
  terminal.type("y");
  terminal.press("enter");
}

/** Chooses the sandbox, and answers each other question with what it proposes until the program ends. */
async function setUpSandbox(terminal: Terminal): Promise<void> {
  const answered = (text: string) => text.match(/^✔ /gm)?.length ?? 0;
  for (let answers = 0; ; answers++) {
    try {
      await terminal.waitFor((text) => answered(text) === answers && /^\? /m.test(text));
    } catch {
      return;
    }
    if (/^❯ .*account/m.test(terminal.text())) {
      terminal.press("down");
      await terminal.waitFor(/^❯ .*sandbox/m);
    }
    terminal.press("enter");
    await terminal.waitFor((text) => answered(text) > answers);
  }
}

/**
 * Machines for the tests of a file, on each of which an example can be run as written: what it needs is there. It is made
 * once for all examples that need the same, and gone when the file ends.
 */
export function preparedMachines(): (example: Example) => Promise<Machine> {
  const folders = new Map<string, Promise<string>>();
  afterAll(async () => {
    for (const folder of folders.values()) await rm(await folder, { recursive: true, force: true });
  });
  return async ({ after = [] }) => {
    if (after.length === 0) return createMachine();
    const lines = JSON.stringify(after);
    const folder = folders.get(lines) ?? prepare(after);
    folders.set(lines, folder);
    return createMachine({}, { folder: await folder });
  };
}

/** A folder like that of a machine on which some lines were run. */
async function prepare(lines: readonly string[]): Promise<string> {
  const machine = await createMachine();
  for (const line of lines) expect(await machine.pipe(line).ended, line).toMatchObject({ code: 0 });
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-prepared-"));
  await cp(machine.folder, folder, { recursive: true });
  return folder;
}

/** The same line with more flags, before the words for another program and before where the result goes. */
export function withFlags(line: string, flags: string): string {
  const [, command = "", rest = ""] = /^(.*?)((?: -- .*)?(?: > [^|]+)?)$/.exec(line) ?? [];
  return `${command} ${flags}${rest}`;
}

/** The same line with its result as JSON, on stdout. */
export const asJson = (line: string): string => withFlags(line.replace(/ > [^|]+$/, ""), "-o json");
