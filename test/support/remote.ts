import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Programs, StreamOptions } from "../../src/system/types.ts";

/** A command that gpuctl runs to reach a rental. */
export interface Connection {
  /** `ssh` or `scp`. */
  readonly program: string;
  readonly args: readonly string[];
  /** The script that ssh sends. */
  readonly input: string;
  readonly signal: AbortSignal;
}

/** How a connection fails. */
export interface Trouble {
  /** What ssh prints. */
  readonly stderr: string;
  /** The exit status of ssh. Default: 255. */
  readonly status?: number;
}

export interface Remote {
  readonly programs: Pick<Programs, "stream" | "which">;
  /** The home folder on the rental. */
  readonly home: string;
  readonly connections: readonly Connection[];
}

/**
 * Programs that reach a rental, which is a folder of this machine: `ssh` runs its script with sh, and `scp` copies
 * files. `trouble` is called before each connection.
 */
export async function createRemote(
  folder: string,
  trouble: (connection: Connection) => Trouble | undefined | Promise<Trouble | undefined> = () => undefined,
): Promise<Remote> {
  const home = join(folder, "rental");
  await mkdir(home);
  const connections: Connection[] = [];
  const stream: Programs["stream"] = async (program, args, options) => {
    const connection = { program, args, input: options.input ?? "", signal: options.signal };
    connections.push(connection);
    const problem = await trouble(connection);
    if (problem) {
      await options.onStderr(Buffer.from(problem.stderr));
      return problem.status ?? 255;
    }
    return program === "ssh" ? runScript(home, options) : copy(home, args);
  };
  const which = async (program: string) =>
    ["ssh", "scp"].includes(program) ? `/usr/bin/${program}` : undefined;
  return { programs: { stream, which }, home, connections };
}

async function runScript(
  home: string,
  { input = "", keepsInputOpen, onStdout, onStderr, signal }: StreamOptions,
): Promise<number> {
  const child = spawn("sh", ["-s"], { cwd: home, env: { PATH: process.env.PATH, HOME: home } });
  // Simulates a broken connection. If a script waits for the end of its input, closing the input makes the script end
  // the programs that it started.
  const stop = () => {
    if (keepsInputOpen) child.stdin.destroy();
    else child.kill();
    child.stdout.destroy();
    child.stderr.destroy();
  };
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop);
  child.stdin.on("error", () => {});
  if (keepsInputOpen) child.stdin.write(input);
  else child.stdin.end(input);
  const pass = async (from: AsyncIterable<Uint8Array>, take: StreamOptions["onStdout"]) => {
    try {
      for await (const chunk of from) await take(chunk);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
  const ended = once(child, "close");
  await Promise.all([pass(child.stdout, onStdout), pass(child.stderr, onStderr)]);
  const [code] = await ended;
  signal.removeEventListener("abort", stop);
  return code ?? 143;
}

/** The last two arguments are the source and the target. One is `HOST:PATH`, with PATH relative to the home folder. */
async function copy(home: string, args: readonly string[]): Promise<number> {
  const [from = "", to = ""] = args.slice(-2).map((path) => {
    const [, remote] = /^[^/]+:(.*)$/.exec(path) ?? [];
    return remote === undefined ? path : join(home, remote);
  });
  const target = existsSync(to) ? join(to, from.split("/").at(-1) ?? "") : to;
  // `fs.cp` cannot copy names that are not UTF-8.
  await promisify(execFile)("cp", ["-RLp", from, target]);
  return 0;
}
