import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import type { Example } from "../../src/command-kit/tree.ts";
import { commands, declarationOf } from "../support/commands.ts";
import { withFlags } from "../support/examples.ts";
import { createHome, type Home } from "../support/process.ts";
import type { Terminal } from "../support/terminal.ts";

/** How a test runs the examples that match a pattern and need input, an interruption or other flags. */
export interface SpecialCase {
  readonly examples: RegExp;
  /** What a user at the terminal types while the example runs. */
  readonly atTerminal?: (terminal: Terminal) => Promise<void>;
  /** In a pipe, the example is interrupted after its first output, or fails because it needs a prompt. */
  readonly inPipe?: "is interrupted" | "refuses";
  /** Flags that the test adds. */
  readonly flags?: string;
}

const typedKey = "key-typed-unseen-1234";

/** The variable that examples read a key from. */
const account = { API_KEY: "key-of-the-user" };

const cases: readonly SpecialCase[] = [
  {
    examples: /^gpuctl auth login(?!.*(?:--with-token|--key-command))/,
    atTerminal: async (terminal) => {
      await terminal.waitFor("API key");
      terminal.type(typedKey);
      terminal.press("enter");
    },
    inPipe: "refuses",
  },
  { examples: /^gpuctl setup/, atTerminal: setUpSandbox, inPipe: "refuses" },
  {
    examples: /^gpuctl mcp/,
    atTerminal: async (terminal) => {
      await terminal.waitFor("Waiting for messages");
      terminal.press("ctrl-d");
    },
  },
  {
    examples: /\bgpuctl sandbox serve/,
    // The port in the example may be in use.
    flags: "--port 0",
    atTerminal: async (terminal) => {
      await terminal.waitFor("http://");
      terminal.press("ctrl-c");
    },
    inPipe: "is interrupted",
  },
];

/** The command line that a test runs for an example. */
export function lineOf({ command }: Example): string {
  const { flags } = specialCaseOf(command);
  return flags === undefined ? command : withFlags(command, flags);
}

export const specialCaseOf = (example: string): SpecialCase =>
  cases.find(({ examples }) => examples.test(example)) ?? { examples: /^/ };

/** Answers yes to a confirmation, if the program asks for one before it ends. */
export async function sayYes(terminal: Terminal): Promise<void> {
  try {
    await terminal.waitFor((text) => text.replaceAll("\n", "").endsWith("(y/N)"));
  } catch {
    return;
  }
  terminal.type("y");
  terminal.press("enter");
}

/** Chooses the sandbox, and accepts the default at every other prompt until the program ends. */
async function setUpSandbox(terminal: Terminal): Promise<void> {
  const answered = (text: string) => text.match(/^✔ /gm)?.length ?? 0;
  for (let answers = 0; ; answers++) {
    try {
      await terminal.waitFor((text) => answered(text) === answers && /^\? /m.test(text));
    } catch {
      return;
    }
    if (/^\? Where is the service/m.test(terminal.text())) {
      // The choices are drawn after the question.
      await terminal.waitFor(/^❯ .*account/m);
      terminal.press("down");
      await terminal.waitFor(/^❯ .*sandbox/m);
    }
    terminal.press("enter");
    await terminal.waitFor((text) => answered(text) > answers);
  }
}

/**
 * Creates homes in which an example runs as written. The commands that the example lists in `after` have been run
 * there. In each test file, they are run only once for all examples that list the same commands.
 */
export function preparedHomes(): (example: Example) => Promise<Home> {
  const folders = new Map<string, Promise<string>>();
  afterAll(async () => {
    for (const folder of folders.values()) await rm(await folder, { recursive: true, force: true });
  });
  return async ({ after = [] }) => {
    if (after.length === 0) return createHome(account);
    const lines = JSON.stringify(after);
    const folder = folders.get(lines) ?? prepare(after);
    folders.set(lines, folder);
    return createHome(account, { folder: await folder });
  };
}

/** A copy of a home in which these command lines were run. */
async function prepare(lines: readonly string[]): Promise<string> {
  const home = await createHome(account);
  for (const line of lines) expect(await home.shell(line).ended, line).toMatchObject({ code: 0 });
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-prepared-"));
  await cp(home.folder, folder, { recursive: true });
  return folder;
}

/**
 * The first example of each kind of command. The kind is the command's view, its confirmation and its special case.
 * Other tests run every example in memory.
 */
export const ofEachKind = firstOfEach(
  commands.flatMap((spec) => spec.examples.map((example) => ({ spec, example }))),
  ({ spec, example: { command } }) =>
    [
      declarationOf(spec).view.kind,
      spec.confirm,
      cases.findIndex(({ examples }) => examples.test(command)),
    ].join(),
);

function firstOfEach<Item>(items: readonly Item[], kindOf: (item: Item) => string): readonly Item[] {
  const first = new Map<string, Item>();
  for (const item of items) if (!first.has(kindOf(item))) first.set(kindOf(item), item);
  return [...first.values()];
}
