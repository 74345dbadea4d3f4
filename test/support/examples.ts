import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Prompts } from "../../src/system/types.ts";
import type { Cli, Outcome, RunOptions } from "./cli.ts";
import { words } from "./words.ts";

/** The key that a user types at the prompt. The sandbox accepts this key. */
const typedKey = "gpuctl-sandbox-full";

/** Answers for `gpuctl setup`: the sandbox, the defaults, and no completion script. */
const setupAnswers: Partial<Prompts> = {
  text: async ({ initial = "" }) => initial,
  choose: async ({ choices, initial }) =>
    choices.find((one) => one === "sandbox") ?? initial ?? choices[0] ?? "",
  confirm: async () => false,
};

/**
 * Runs a command line as written in help. If the line requires it, pipes input into the command, redirects its output
 * to a file, types a key at a prompt, or interrupts a command that would never end. Engines are set to a port where
 * nothing listens, so that no engine on this machine is used.
 */
export async function runShown(
  cli: Cli,
  shown: string,
  options: Pick<RunOptions, "env" | "terminal" | "prompts" | "writeFails"> = {},
): Promise<Outcome> {
  const [line = "", file] = shown.split(" > ");
  if (file !== undefined && /^printf [^|]*$/.test(line)) {
    await writeFile(join(cli.folder, file), output(line));
    return written;
  }
  const piped = line.split(" | ");
  const command = withoutEngine(piped.at(-1) ?? "");
  const stdin = piped.length > 1 ? output(piped[0] ?? "") : undefined;
  const promptsForKey = /^gpuctl auth login(?!.*--key-command)/.test(command) && stdin === undefined;
  const outcome = await cli.run(command, {
    ...options,
    ...(stdin !== undefined && { stdin }),
    ...(/^gpuctl setup/.test(command) && { terminal: 80, prompts: setupAnswers }),
    ...(promptsForKey && { terminal: 80, prompts: { secret: async () => typedKey } }),
    ...(command.startsWith("gpuctl sandbox serve") && { signal: AbortSignal.abort() }),
  });
  if (file !== undefined) await writeFile(join(cli.folder, file), outcome.bytes);
  return outcome;
}

/** The outcome of a line that only writes a file. */
const written: Outcome = {
  code: 0,
  out: "",
  bytes: Buffer.alloc(0),
  err: "",
  requests: [],
  slept: [],
  shown: [],
  copied: [],
};

const withoutEngine = (line: string): string =>
  line.startsWith("gpuctl sandbox engine set") ? line.replace(/(?<=127\.0\.0\.1:)\d+/, "1") : line;

/** The output of the command before the pipe in an example. */
function output(line: string): string {
  const [command, text = ""] = words(line);
  if (command === "printf") return text.replaceAll("\\n", "\n");
  if (command === "printenv") return `${typedKey}\n`;
  throw new Error(`The examples pipe from ${command}, which this test does not know`);
}

/** A command line to which flags are added, before `--` and before a redirection. */
export function withFlags(line: string, flags: string): string {
  const [, command = "", rest = ""] = /^(.*?)((?: -- .*)?(?: > [^|]+)?)$/.exec(line) ?? [];
  return `${command} ${flags}${rest}`;
}

/** A command line, changed to print its result as JSON on stdout. JSON has no columns, so `--columns` is removed. */
export const asJson = (line: string): string =>
  withFlags(line.replace(/ > [^|]+$/, "").replace(/ --columns \S+/, ""), "-o json");

/** Matches command lines that exchange messages of a protocol on stdin and stdout, and have no result to print. */
export const speaksProtocol = /^gpuctl mcp\b/;

/** Matches command lines that prompt, so tests run them on a terminal. */
export const needsTerminal = /^gpuctl (?:setup|auth login(?!.*(?:--with-token|--key-command)))/;
