import { chmod, cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { onTestFinished } from "vitest";
import { createHome, type Environment, type Home, launcher } from "../e2e/command.ts";
import { openTerminal, type Terminal } from "../support/terminal.ts";

/** A user's machine, with `gpuctl` on its search path, and a password manager. */
export interface Machine extends Pick<Home, "folder" | "env"> {
  /** The current folder of what runs here. */
  readonly work: string;
  /** Runs a command line of bash on a terminal; another mode of the terminal afterwards is one of its leftovers. */
  readonly terminal: (line: string, options?: TerminalOptions) => Terminal;
  /** A shell on a terminal, as a person has it, with its own jobs. */
  readonly shell: () => Terminal;
  /** Runs a command line of bash in pipes; it may be interrupted. */
  readonly pipe: (line: string, env?: Environment) => Piped;
}

interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Environment;
}

export interface Ran {
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
}

export interface Piped {
  readonly ended: Promise<Ran>;
  /** Resolves when something came on stdout. */
  readonly firstOutput: Promise<unknown>;
  readonly interrupt: () => void;
}

/** A terminal that can do everything, so that only a pipe keeps colours away, and the key that our examples take. */
const usual = { TERM: "xterm-256color", COLORTERM: "truecolor", API_KEY: "key-of-the-user" };

/** A machine as new, or one with the folders of another. */
export async function createMachine(env: Environment = {}, from?: Pick<Machine, "folder">): Promise<Machine> {
  const home = await createHome({ ...usual, ...env });
  const { folder } = home;
  if (from) await cp(from.folder, folder, { recursive: true });
  else await install(folder);
  const work = join(folder, "work");
  const ours = { ...home.env, PATH: `${join(folder, "bin")}:${home.env.PATH}` };
  const bash = (args: readonly string[], { env: own, ...size }: TerminalOptions = {}) =>
    openTerminal({ program: "bash", args, cwd: work, env: { ...ours, ...own }, ...size });
  return {
    folder,
    work,
    env: ours,
    terminal: (line, options) => watchingMode(bash(["-c", tellingMode, "bash", line], options)),
    shell: () => bash(["--norc", "--noprofile", "-i"], { env: { PS1: "$ " } }),
    pipe: (line, own = {}) => startPiped(line, work, { ...ours, ...own }),
  };
}

const otherMode = "THE TERMINAL WAS LEFT IN ANOTHER MODE";

/** Runs its first word as a line; a mode of the terminal that was not put back is told. */
const tellingMode = `before=$(stty -g)
eval "$1"
code=$?
[ "$(stty -g)" = "$before" ] || echo "${otherMode}"
exit $code`;

const watchingMode = (terminal: Terminal): Terminal => ({
  ...terminal,
  leftovers: async () => [
    ...(terminal.text().includes(otherMode) ? ["another mode"] : []),
    ...(await terminal.leftovers()),
  ],
});

async function install(folder: string): Promise<void> {
  for (const name of ["bin", "work"]) await mkdir(join(folder, name));
  const programs = { gpuctl: `exec '${process.execPath}' '${launcher}' "$@"`, pass: "echo key-from-pass" };
  for (const [name, script] of Object.entries(programs)) {
    const path = join(folder, "bin", name);
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
  }
}

function startPiped(line: string, cwd: string, env: Environment): Piped {
  const child = execa("bash", ["-c", line], {
    cwd,
    env,
    extendEnv: false,
    reject: false,
    stdin: "ignore",
    stripFinalNewline: false,
    // A process group of its own, so that a signal reaches all of a pipeline.
    detached: true,
  });
  const signal = (name: NodeJS.Signals) => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, name);
  };
  onTestFinished(async () => {
    signal("SIGKILL");
    await child;
  });
  return {
    ended: child.then(({ exitCode, stdout, stderr }) => ({ code: exitCode, out: stdout, err: stderr })),
    firstOutput: new Promise((resolve) => child.stdout.once("data", resolve)),
    interrupt: () => signal("SIGINT"),
  };
}
