import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import { type ProgramOptions, runProgram } from "../support/process.ts";

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const scripts = pathOf("../../completions");

type ShellOptions = Pick<ProgramOptions, "cwd" | "env">;

/** Returns the completions that a real shell offers at the end of a command line, as it would insert them. */
export type Completer = (line: string, options?: ShellOptions) => Promise<readonly string[]>;

async function run(shell: string, args: readonly string[], { cwd = pathOf("."), ...more }: ShellOptions) {
  const { code, out, err } = await runProgram(shell, args, { cwd, timeout: 150_000, ...more });
  if (code !== 0 || err !== "") throw new Error(`${shell} failed: ${err}`);
  return out.split("\n").filter((word) => word !== "");
}

/** Bash splits words at `=` and `:`. */
const bash: Completer = (line, options = {}) => {
  const words = line.split(/ +|([=:]+)/).filter((word) => word !== undefined);
  const parts = [pathOf("complete.bash"), `${scripts}/gpuctl.bash`, line, ...words];
  return run("bash", ["--norc", "--noprofile", ...parts], options);
};

/** fish offers whole words, such as `--gpu=h100`, with descriptions. Returns only the part after `=`, as in bash. */
const fish: Completer = async (line, options = {}) => {
  const command = `source ${scripts}/gpuctl.fish; complete --do-complete $argv[1]`;
  const offers = await run("fish", ["--no-config", "--command", command, line], options);
  return offers.map((offer) => offer.replace(/\t.*/, "").replace(/^--[\w-]+=/, ""));
};

/** What Tab offers in zsh: each completion (`word`), or the completed command line (`line`). */
const inZsh = async (line: string, options: ShellOptions, kind: "word" | "line") => {
  const dump = join(inject("runFolder"), "zcompdump");
  const lines = await run("zsh", ["-f", pathOf("complete.zsh"), scripts, line, dump], options);
  return lines.filter((one) => one.startsWith(`${kind} `)).map((one) => one.slice(kind.length + 1));
};

const zsh: Completer = (line, options = {}) => inZsh(line, options, "word");

/** The completed command line after Tab in zsh. */
export const zshLine = async (line: string, options: ShellOptions = {}): Promise<string | undefined> =>
  (await inZsh(line, options, "line"))[0];

export const shells = { bash, zsh, fish };
export type ShellName = keyof typeof shells;
export const shellNames = Object.keys(shells) as ShellName[];
