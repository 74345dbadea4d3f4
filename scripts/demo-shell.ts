import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A command did not do what it should. */
export class Failed extends Error {
  override readonly name = "Failed";
}

export interface Shell {
  readonly say: (text: string) => void;
  /** Runs a command line where it can be seen and gives its stdout. Throws `Failed` unless it exits 0. */
  readonly run: (line: string) => Promise<string>;
  /** The same for a command that the service is to refuse (exit code 6); gives its stderr. */
  readonly refused: (line: string) => Promise<string>;
}

const launcher = fileURLToPath(new URL("../bin/gpuctl.js", import.meta.url));

/** A place to run gpuctl in: the sandbox, with state and configuration in a folder of its own. */
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
    throw new Failed(`That exited with ${ended.code} instead of ${expected}: the demo stops here.`);
  };
  return {
    say: (text) => process.stdout.write(`\n# ${text}\n`),
    run: async (line) => (await exec(line, 0)).out.trim(),
    refused: async (line) => (await exec(line, 6)).err,
  };
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** What the command prints is passed on as it comes, and kept. */
function start(words: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [launcher, ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
    const out = keep(child.stdout, process.stdout);
    const err = keep(child.stderr, process.stderr);
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out: out(), err: err() }));
  });
}

function keep(from: NodeJS.ReadableStream, to: NodeJS.WritableStream): () => string {
  let text = "";
  from.setEncoding("utf8");
  from.on("data", (piece: string) => {
    text += piece;
    to.write(piece);
  });
  return () => text;
}

/** The words of a command line; double quotes hold one together. */
const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
