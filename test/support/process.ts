import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { inject, onTestFinished } from "vitest";
import { openTerminal, type Terminal, type TerminalSize } from "./terminal.ts";
import { words } from "./words.ts";

export const repository = fileURLToPath(new URL("../..", import.meta.url));
export const launcher = join(repository, "bin", "gpuctl.js");
export const dist = join(repository, "dist");
export const key = "sk-e2e-0123456789";

const { GPUCTL_TEST_RUNTIME, GPUCTL_TEST_BINARY } = process.env;

/** The command that runs gpuctl: this Node.js with the launcher, or the single executable in `GPUCTL_TEST_BINARY`. */
export const gpuctl: readonly string[] = GPUCTL_TEST_BINARY
  ? [GPUCTL_TEST_BINARY]
  : [process.execPath, launcher];

/** What a home runs: `gpuctl`, or the launcher in the runtime of `GPUCTL_TEST_RUNTIME`, such as `deno run -A`. */
const [program = "", ...programArgs] = GPUCTL_TEST_RUNTIME
  ? [...GPUCTL_TEST_RUNTIME.split(" "), launcher]
  : gpuctl;

/** Environment variables. A process in a home inherits no others, except PATH. */
export type Environment = Readonly<Record<string, string>>;

/** How a process ended, and what it wrote. */
export interface ProcessResult {
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
}

export interface ProgramOptions {
  readonly cwd?: string;
  /** Default: the environment of the tests. */
  readonly env?: Environment;
  readonly input?: string | undefined;
  /** Milliseconds after which the program is killed. */
  readonly timeout?: number;
}

/** Runs a program to its end. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env, input, timeout = 150_000 }: ProgramOptions = {},
): Promise<ProcessResult> {
  const { exitCode, signal, stdout, stderr, cause } = await execa(program, args, {
    ...(cwd !== undefined && { cwd }),
    ...(env && { env, extendEnv: false }),
    ...(input === undefined ? { stdin: "ignore" } : { input }),
    timeout,
    reject: false,
    stripFinalNewline: false,
  });
  if (exitCode === undefined && signal === undefined) throw cause;
  return { code: exitCode, out: stdout, err: stderr };
}

/** A user's home folder with `gpuctl` on the search path, its own configuration and its own sandbox. */
export interface Home {
  /** The home folder, which is also the current folder of every program that runs here. */
  readonly folder: string;
  readonly env: Environment;
  /** Runs the built command to its end. */
  readonly run: (line: string | readonly string[], options?: RunOptions) => Promise<ProcessResult>;
  /** Starts the built command. It is killed when the test ends. */
  readonly start: (line: string, env?: Environment) => Child;
  /** Runs the built command on a terminal of its own. */
  readonly onTerminal: (line: string, options?: Omit<TerminalOptions, "shell">) => Terminal;
  /** Runs a shell command on a terminal. `leftovers` also reports terminal modes that the command did not restore. */
  readonly shellOnTerminal: (line: string, options?: TerminalOptions) => Terminal;
  /** Starts an interactive shell with job control on a terminal. */
  readonly interactiveShell: () => Terminal;
  /** Runs a shell command with pipes for stdout and stderr. */
  readonly shell: (line: string, options?: ShellOptions) => Piped;
}

interface RunOptions {
  readonly input?: string;
  readonly env?: Environment;
  /** The program and its first arguments. Default: the command that runs gpuctl. */
  readonly command?: readonly [string, ...string[]];
}

interface ShellOptions {
  readonly env?: Environment;
  /** Default: `sh`. */
  readonly shell?: "sh" | "bash";
}

interface TerminalOptions extends TerminalSize, ShellOptions {}

export interface Piped {
  readonly ended: Promise<ProcessResult>;
  /** Resolves at the first output on stdout. */
  readonly firstOutput: Promise<unknown>;
  readonly interrupt: () => void;
}

/** Creates a home, or copies one. When the test ends, the new home is removed and its processes are killed. */
export async function createHome(more: Environment = {}, copied?: Pick<Home, "folder">): Promise<Home> {
  if (!existsSync(join(dist, "gpuctl.cjs"))) throw new Error("gpuctl is not built: run npm run build");
  const folder = await mkdtemp(join(inject("runFolder"), "home-"));
  const cleanUp: (() => Promise<unknown>)[] = [];
  onTestFinished(async () => {
    await Promise.allSettled(cleanUp.map((end) => end()));
    // A process in the background may still write to the folder.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  if (copied) await cp(copied.folder, folder, { recursive: true });
  else await install(folder);
  const env: Environment = {
    PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH ?? ""}`,
    HOME: folder,
    USERPROFILE: folder,
    GPUCTL_CONFIG_DIR: join(folder, "config"),
    GPUCTL_STATE_DIR: join(folder, "state"),
    XDG_CACHE_HOME: sharedCache,
    ...capableTerminal,
    ...more,
  };
  const onTerminal = (
    program: string,
    args: readonly string[],
    { env: own, shell: _, ...size }: TerminalOptions = {},
  ) => openTerminal({ program, args, cwd: folder, env: { ...env, ...own }, ...size });

  return {
    folder,
    env,
    run: (line, { command = [program, ...programArgs], input, env: own } = {}) => {
      const [run, ...first] = command;
      const given = typeof line === "string" ? words(line) : line;
      return runProgram(run, [...first, ...given], { cwd: folder, env: { ...env, ...own }, input });
    },
    start: (line, own = {}) => {
      const child = launch(line, folder, { ...env, ...own });
      cleanUp.push(() => {
        child.kill("SIGKILL");
        return child;
      });
      return child;
    },
    onTerminal: (line, options) => onTerminal(program, [...programArgs, ...words(line)], options),
    shellOnTerminal: (line, options) =>
      watchingMode(onTerminal(options?.shell ?? "sh", ["-c", reportingMode, "shell", line], options)),
    interactiveShell: () => onTerminal("bash", ["--norc", "--noprofile", "-i"], { env: { PS1: "$ " } }),
    shell: (line, { env: own, shell = "sh" } = {}) => {
      const { piped, end } = startPiped(shell, line, folder, { ...env, ...own });
      cleanUp.push(end);
      return piped;
    },
  };
}

/** A terminal with full color support, whatever the terminal that runs the tests supports. */
const capableTerminal = { TERM: "xterm-256color", COLORTERM: "truecolor" };

/** All homes of this process share a folder for compiled code, so that each file is compiled only once. */
const sharedCache = join(inject("runFolder"), `cache-${process.pid}`);

/** Installs `gpuctl`, and a fake password manager named `pass`. */
async function install(folder: string): Promise<void> {
  await mkdir(join(folder, "bin"));
  const command = [program, ...programArgs].map((word) => `'${word}'`).join(" ");
  const programs = { gpuctl: `exec ${command} "$@"`, pass: "echo key-from-pass" };
  for (const [name, script] of Object.entries(programs)) await addProgram(folder, name, script);
}

/** Puts a program on the search path of a home: a script that `shell` runs. */
export async function addProgram(
  folder: string,
  name: string,
  script: string,
  shell: "sh" | "bash" = "sh",
): Promise<void> {
  const path = join(folder, "bin", name);
  await writeFile(path, `#!/usr/bin/env ${shell}\n${script}\n`);
  await chmod(path, 0o755);
}

type Child = ReturnType<typeof launch>;

const launch = (line: string, cwd: string, env: Environment) =>
  execa(program, [...programArgs, ...words(line)], {
    cwd,
    env,
    extendEnv: false,
    reject: false,
    stdin: "ignore",
  });

/** With this trap, the shell survives Ctrl-C and waits for its program, which still receives the signal. */
const survivesCtrlC = "trap : INT";

const otherMode = "THE TERMINAL WAS LEFT IN ANOTHER MODE";

/** Runs its first argument as a shell command. Prints a message if the command does not restore terminal modes. */
const reportingMode = `${survivesCtrlC}
before=$(stty -g)
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

function startPiped(
  shell: string,
  line: string,
  cwd: string,
  env: Environment,
): { piped: Piped; end: () => Promise<unknown> } {
  const child = execa(shell, ["-c", `${survivesCtrlC}\n${line}`], {
    cwd,
    env,
    extendEnv: false,
    reject: false,
    stdin: "ignore",
    stripFinalNewline: false,
    // The shell gets its own process group, so that a signal reaches every process of a pipeline.
    detached: true,
  });
  const signal = (name: NodeJS.Signals) => {
    if (child.pid === undefined || child.exitCode !== null) return;
    try {
      process.kill(-child.pid, name);
    } catch {
      // The process group has already ended.
    }
  };
  return {
    piped: {
      ended: child.then(({ exitCode, stdout, stderr }) => ({ code: exitCode, out: stdout, err: stderr })),
      firstOutput: new Promise((resolve) => child.stdout.once("data", resolve)),
      interrupt: () => signal("SIGINT"),
    },
    end: () => {
      signal("SIGKILL");
      return child;
    },
  };
}

/** The first chunk of a stream, as text. */
export const firstChunk = (stream: NodeJS.ReadableStream | null | undefined): Promise<string> =>
  new Promise((resolve, reject) => {
    stream?.once("data", (chunk) => resolve(String(chunk)));
    stream?.once("end", () => reject(new Error("the stream ended without output")));
  });
