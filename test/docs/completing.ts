import { fileURLToPath } from "node:url";
import { execa } from "execa";

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const scripts = pathOf("../../completions");

interface Surroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What a real shell offers at the end of a command line, with the committed script, as it would stand on the line. */
export type Offered = (line: string, surroundings?: Surroundings) => Promise<readonly string[]>;

async function run(shell: string, args: readonly string[], { cwd, env }: Surroundings) {
  const ran = await execa(shell, args, {
    cwd: cwd ?? pathOf("."),
    ...(env && { env, extendEnv: false }),
    reject: false,
    timeout: 20_000,
  });
  if (ran.code === "ENOENT") throw new Error(`this test needs ${shell}: apt-get install ${shell}`);
  if (ran.exitCode !== 0 || ran.stderr !== "") throw new Error(`${shell} failed: ${ran.stderr}`);
  return ran.stdout.split("\n").filter((word) => word !== "");
}

/** `=` and `:` are words of their own there. */
const bash: Offered = (line, surroundings = {}) => {
  const words = line.split(/ +|([=:]+)/).filter((word) => word !== undefined);
  const parts = [pathOf("complete.bash"), `${scripts}/gpuctl.bash`, line, ...words];
  return run("bash", ["--norc", "--noprofile", ...parts], surroundings);
};

/** Offers come with what they mean, and in the place of the whole word. */
const fish: Offered = async (line, surroundings = {}) => {
  const command = `source ${scripts}/gpuctl.fish; complete --do-complete $argv[1]`;
  const offers = await run("fish", ["--no-config", "--command", command, line], surroundings);
  return offers.map((offer) => offer.replace(/\t.*/, "").replace(/^--[\w-]+=/, ""));
};

const zsh: Offered = async (line, surroundings = {}) => {
  const said = await run("zsh", ["-f", pathOf("complete.zsh"), scripts, line], surroundings);
  return said.filter((one) => one.startsWith("word ")).map((one) => one.slice("word ".length));
};

export const shells = { bash, zsh, fish };
export type ShellName = keyof typeof shells;
export const shellNames = Object.keys(shells) as ShellName[];
