import { spawn } from "node:child_process";
import { constants, promises as fs } from "node:fs";
import { constants as os } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { isatty } from "node:tty";
import { codeOf, ProgramFailed, ProgramTimedOut, Unavailable } from "../core/errors.ts";
import { withoutKey } from "../core/runtime/key-variable.ts";
import type { Interruption } from "./interruption.ts";
import type { Programs } from "./types.ts";

/**
 * Options for a program: gpuctl's environment without the API key, and with the added variables. Only the user's own
 * shell commands, which may call gpuctl, and gpuctl itself (see `startInBackground`) inherit the key.
 */
const childEnvironment = (added: Readonly<Record<string, string>> = {}) => ({
  env: { ...withoutKey(process.env), ...added },
  extendEnv: false,
});

export const nodePrograms = ({
  leaveToChild,
  signal: interrupted,
}: Pick<Interruption, "leaveToChild" | "signal">): Programs => ({
  run: async (program, args) => {
    const { execa } = await import("execa");
    const running = execa(program, args, {
      ...childEnvironment(),
      stdio: "inherit",
      reject: false,
      forceKillAfterDelay: false,
    });
    const { exitCode, signal, code } = await leaveToChild((request) => running.kill(request), running);
    if (exitCode !== undefined) return exitCode;
    if (signal === undefined) throw cannotStart(program, code);
    return statusOf(signal);
  },
  runQuietly: async (program, args, env) => {
    interrupted.throwIfAborted();
    const { execa } = await import("execa");
    const running = execa(program, args, {
      ...childEnvironment(env),
      stdin: "ignore",
      stdout: "ignore",
      reject: false,
      cancelSignal: interrupted,
      forceKillAfterDelay: killDelay,
    });
    const closing = closingPipes(running, interrupted);
    const { exitCode, stderr, signal, code } = await running.finally(closing.stop);
    interrupted.throwIfAborted();
    if (exitCode !== undefined) return { status: exitCode, stderr };
    if (signal === undefined) throw cannotStart(program, code);
    return { status: statusOf(signal), stderr };
  },
  shell: async (commandLine, { input, env, timeout }) => {
    const { execa } = await import("execa");
    const result = await execa(commandLine, {
      shell: true,
      input,
      env,
      // Not a pipe, because a background process that the command leaves behind would keep it open.
      stdout: "ignore",
      stderr: "inherit",
      reject: false,
      timeout,
      forceKillAfterDelay: killDelay,
    });
    if (result.exitCode !== 0) throw failureOf(commandLine, { ...result, timeout });
  },
  output: async (commandLine, { timeout }) => {
    interrupted.throwIfAborted();
    const { execa } = await import("execa");
    const running = execa(commandLine, {
      shell: true,
      // On a terminal, the user may type a passphrase. Any other input is for the shell loop or the MCP client that
      // started gpuctl.
      stdin: isatty(0) ? "inherit" : "ignore",
      stderr: "inherit",
      reject: false,
      timeout,
      cancelSignal: interrupted,
      forceKillAfterDelay: killDelay,
    });
    const abandoning = setTimeout(closePipes, timeout + killDelay + readDelay, running);
    const closing = closingPipes(running, interrupted);
    const { stdout, ...result } = await running.finally(() => {
      clearTimeout(abandoning);
      closing.stop();
    });
    interrupted.throwIfAborted();
    if (result.exitCode === 0) return stdout;
    throw failureOf(commandLine, { ...result, timeout });
  },
  capture: async (program, args, { timeout }) => {
    const { execa } = await import("execa");
    const { exitCode, stdout } = await execa(program, args, {
      ...childEnvironment(),
      stdin: "ignore",
      stderr: "ignore",
      reject: false,
      detached: true,
      cleanup: true,
      timeout,
      killSignal: "SIGKILL",
    });
    return exitCode === undefined ? undefined : stdout;
  },
  stream: async (program, args, { cwd, input = "", keepsInputOpen, onStdout, onStderr, signal: stop }) => {
    const { execa } = await import("execa");
    const running = execa(program, args, {
      ...childEnvironment(),
      cwd,
      stdin: "pipe",
      buffer: false,
      reject: false,
      cancelSignal: stop,
      forceKillAfterDelay: killDelay,
    });
    // A write fails if the program ends without reading its input. Ignore that.
    running.stdin.on("error", () => {});
    if (keepsInputOpen) running.stdin.write(input);
    else running.stdin.end(input);
    const passing = [passOn(running.stdout, onStdout), passOn(running.stderr, onStderr)];
    let abandoning: NodeJS.Timeout | undefined;
    const abandon = () => {
      abandoning = setTimeout(closePipes, killDelay + readDelay, running);
    };
    if (stop.aborted) abandon();
    stop.addEventListener("abort", abandon, { once: true });
    const [{ exitCode, signal, code }] = await Promise.all([running, ...passing])
      .catch((error: unknown) => {
        running.kill();
        throw error;
      })
      .finally(() => {
        clearTimeout(abandoning);
        stop.removeEventListener("abort", abandon);
      });
    if (exitCode !== undefined) return exitCode;
    if (signal !== undefined) return statusOf(signal);
    if (stop.aborted) return statusOf("SIGTERM");
    throw cannotStart(program, code);
  },
  feed: async (program, args, input) => {
    const { execa } = await import("execa");
    // A clipboard tool may leave a process behind that serves the copied text. That process would keep an output pipe
    // open.
    const { exitCode } = await execa(program, args, {
      ...childEnvironment(),
      input,
      stdout: "ignore",
      stderr: "ignore",
      reject: false,
      timeout: feedTimeout,
    });
    return exitCode === 0;
  },
  start: async (program, args, env) => {
    const { execa } = await import("execa");
    const child = execa(program, args, {
      ...childEnvironment(env),
      stdio: "ignore",
      detached: true,
      cleanup: false,
      reject: false,
      windowsHide: true,
    });
    const failed = child.then(({ code }) => code);
    const started = await Promise.race([
      new Promise<true>((resolve) => child.once("spawn", () => resolve(true))),
      failed,
    ]);
    if (started !== true) throw cannotStart(program, started);
    child.unref();
  },
  which,
});

/** Milliseconds from SIGTERM to SIGKILL for a program that is stopped. */
const killDelay = 1_000;

/** Milliseconds to read the rest of the output of a program that was killed. */
const readDelay = 500;

/**
 * Closes the pipes of a program that was killed. The program may have started another one that still runs and keeps the
 * pipes open, such as a ProxyCommand of ssh. If the pipes were not closed, gpuctl would wait for the other program,
 * even beyond the time limit.
 */
const closePipes = ({ stdout, stderr }: Pipes): void => {
  stdout?.destroy();
  stderr?.destroy();
};

/** Closes the pipes of a program when the signal is aborted, unless `stop` was called before. */
function closingPipes(pipes: Pipes, signal: AbortSignal): { readonly stop: () => void } {
  const close = () => closePipes(pipes);
  signal.addEventListener("abort", close, { once: true });
  return { stop: () => signal.removeEventListener("abort", close) };
}

interface Pipes {
  readonly stdout: Closable;
  readonly stderr: Closable;
}

/** A stream of a program. Null if the stream is not a pipe. */
type Closable = { readonly destroy: () => unknown } | null;

/** Passes on the chunks of a stream. A stream that breaks off counts as ended. */
async function passOn(
  stream: AsyncIterable<Uint8Array>,
  take: (chunk: Uint8Array) => void | Promise<void>,
): Promise<void> {
  try {
    for await (const chunk of stream) await take(chunk);
  } catch (error) {
    if (codeOf(error) !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}

/** Milliseconds. */
const feedTimeout = 5_000;
/** The status that a shell reports for a program that a signal ended. */
const statusOf = (signal: string): number => 128 + os.signals[signal as NodeJS.Signals];

/** Why a shell command failed. */
function failureOf(
  commandLine: string,
  { exitCode, signal, timedOut, code, timeout }: ShellResult,
): ProgramFailed | Unavailable {
  const program = JSON.stringify(commandLine);
  if (timedOut) return new ProgramTimedOut(`${program} timed out after ${timeout / 1000} s`);
  if (exitCode === undefined && signal === undefined) return cannotStart(program, code);
  return new ProgramFailed(
    `${program} ${signal ? `was terminated by ${signal}` : `exited with status ${exitCode}`}`,
  );
}

interface ShellResult {
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  readonly code?: string | undefined;
  readonly timedOut: boolean;
  readonly timeout: number;
}

const cannotStart = (program: string, code: string | undefined): Unavailable =>
  new Unavailable(
    `${program} cannot be started (${code ?? "no reason given"})`,
    "Check that it is installed and in PATH.",
  );

async function which(program: string): Promise<string | undefined> {
  const extensions =
    process.platform === "win32" ? (process.env.PATHEXT ?? ".EXE").split(";").filter(Boolean) : [""];
  const hasExtension = extensions.some(
    (one) => one !== "" && program.toUpperCase().endsWith(one.toUpperCase()),
  );
  const endings = hasExtension ? [""] : extensions;
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const path of folders.flatMap((folder) => endings.map((end) => join(folder, program + end)))) {
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await fs.access(path, constants.X_OK);
    return (await fs.stat(path)).isFile();
  } catch {
    return false;
  }
}

/**
 * Starts another gpuctl process, detached and silent. Resolves when the other process ends, but no later than `latest`
 * milliseconds after this process started.
 */
export async function startInBackground(args: readonly string[], latest: number): Promise<void> {
  const [, program = ""] = process.argv;
  const child = spawn(process.execPath, [program, ...args], {
    detached: true,
    stdio: "ignore",
    windowsHide: true,
  });
  child.unref();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, latest - performance.now()));
    const finish = () => {
      clearTimeout(timer);
      resolve();
    };
    child.once("exit", finish).once("error", finish);
  });
}

/** Ends this process after this many milliseconds, whatever it is doing. */
export const exitAfter = (milliseconds: number): void => {
  setTimeout(() => process.exit(), milliseconds).unref();
};
