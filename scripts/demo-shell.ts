import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A command exited with an unexpected code. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
}

export interface Shell {
  readonly say: (text: string) => void;
  /** Runs a command line, shows its output and returns its stdout. Throws `CommandFailed` unless the exit code is 0. */
  readonly run: (line: string) => Promise<string>;
  /** Runs a command line that the service must reject (exit code 6), and returns its stderr. */
  readonly runRejected: (line: string) => Promise<string>;
}

const launcher = fileURLToPath(new URL("../bin/gpuctl.js", import.meta.url));

/** Runs gpuctl in the sandbox, with its state and configuration in `home`. */
export function openShell(home: string): Shell {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("GPUCTL_"));
  const env = {
    ...Object.fromEntries(inherited),
    GPUCTL_SANDBOX: "1",
    GPUCTL_STATE_DIR: join(home, "state"),
    GPUCTL_CONFIG_DIR: join(home, "config"),
    XDG_CACHE_HOME: join(home, "cache"),
  };
  const exec = async (line: string, expected: number): Promise<Ended> => {
    process.stdout.write(`\n$ ${line}\n`);
    const ended = await start(wordsOf(line).slice(1), env);
    if (ended.code === expected) return ended;
    throw new CommandFailed(
      `The command exited with ${ended.code} instead of ${expected}; stopping the demo.`,
    );
  };
  return {
    say: (text) => process.stdout.write(`\n# ${text}\n`),
    run: async (line) => (await exec(line, 0)).out.trim(),
    runRejected: async (line) => (await exec(line, 6)).err,
  };
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs gpuctl, forwards its output as it arrives, and collects it. */
function start(words: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [launcher, ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
    const out = tee(child.stdout, process.stdout);
    const err = tee(child.stderr, process.stderr);
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out: out(), err: err() }));
  });
}

/** Copies a stream to another one. The returned function returns the text so far. */
function tee(from: NodeJS.ReadableStream, to: NodeJS.WritableStream): () => string {
  let text = "";
  from.setEncoding("utf8");
  from.on("data", (chunk: string) => {
    text += chunk;
    to.write(chunk);
  });
  return () => text;
}

/** Splits a command line into words. Double quotes keep words together. */
const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
