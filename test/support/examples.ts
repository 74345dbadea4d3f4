import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Prompts } from "../../src/system/types.ts";
import type { Cli, Outcome, RunOptions } from "./cli.ts";
import { words } from "./words.ts";

/** What a user types at the prompt for a key. */
const typedKey = "key-typed-unseen-1234";

/** A person who sets up the sandbox and takes what is offered, but wants nothing written for the shell. */
const setupAnswers: Partial<Prompts> = {
  text: async ({ initial = "" }) => initial,
  choose: async ({ choices, initial }) =>
    choices.find((one) => one === "sandbox") ?? initial ?? choices[0] ?? "",
  confirm: async () => false,
};

/**
 * Runs a command line as written in help: with what is piped into it, its output redirected into a file, a key typed
 * when one is asked for, and Ctrl-C for what would never end.
 */
export async function runShown(
  cli: Cli,
  shown: string,
  options: Pick<RunOptions, "env" | "terminal" | "prompts" | "writeFails"> = {},
): Promise<Outcome> {
  const [line = "", file] = shown.split(" > ");
  const piped = line.split(" | ");
  const command = piped.at(-1) ?? "";
  const stdin = piped.length > 1 ? output(piped[0] ?? "") : undefined;
  const asks = /^gpuctl auth login(?!.*--key-command)/.test(command) && stdin === undefined;
  const outcome = await cli.run(command, {
    ...options,
    ...(stdin !== undefined && { stdin }),
    ...(/^gpuctl setup/.test(command) && { terminal: 80, prompts: setupAnswers }),
    ...(asks && { terminal: 80, prompts: { secret: async () => typedKey } }),
    ...(command.startsWith("gpuctl sandbox serve") && { signal: AbortSignal.abort() }),
  });
  if (file !== undefined) await writeFile(join(cli.folder, file), outcome.bytes);
  return outcome;
}

/** What the commands before a pipe in our examples print. */
function output(line: string): string {
  const [command, text = ""] = words(line);
  if (command === "printf") return text.replaceAll("\\n", "\n");
  if (command === "printenv") return `${typedKey}\n`;
  throw new Error(`The examples pipe from ${command}, which this test does not know`);
}

/** The same line with more flags, before the arguments for another program and before where the result goes. */
export function withFlags(line: string, flags: string): string {
  const [, command = "", rest = ""] = /^(.*?)((?: -- .*)?(?: > [^|]+)?)$/.exec(line) ?? [];
  return `${command} ${flags}${rest}`;
}

/** The same line with its result as JSON, on stdout. */
export const asJson = (line: string): string => withFlags(line.replace(/ > [^|]+$/, ""), "-o json");
