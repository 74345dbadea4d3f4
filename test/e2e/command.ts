import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { onTestFinished } from "vitest";
import { words } from "../support/words.ts";

export const repository = fileURLToPath(new URL("../..", import.meta.url));
export const launcher = join(repository, "bin", "gpuctl.js");
export const dist = join(repository, "dist");

if (!existsSync(join(dist, "gpuctl.cjs"))) {
  throw new Error("these tests run the built command: `npx tsdown` makes dist/gpuctl.cjs");
}

export const key = "sk-e2e-0123456789";

/** Environment variables, nothing else inherited but the search path. */
export type Environment = Readonly<Record<string, string>>;

export interface Home {
  readonly folder: string;
  readonly env: Environment;
  /** Runs the built command to its end. */
  readonly run: (line: string | readonly string[], options?: RunOptions) => Promise<Ran>;
  /** Starts the built command; it is killed at the latest when the test ends. */
  readonly start: (line: string, env?: Environment) => Child;
}

interface RunOptions {
  readonly input?: string;
  readonly env?: Environment;
  /** The program and its first words, in the place of the launcher under this Node. */
  readonly command?: readonly [string, ...string[]];
}

interface Ran {
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
}

/** A folder, settings and sandbox of this test's own, and an environment that holds nothing of the machine's. */
export async function createHome(more: Environment = {}): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-e2e-"));
  const started: Child[] = [];
  onTestFinished(async () => {
    for (const child of started) child.kill("SIGKILL");
    await Promise.allSettled(started);
    await rm(folder, { recursive: true, force: true });
  });
  const env: Environment = {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    USERPROFILE: folder,
    GPUCTL_CONFIG_DIR: join(folder, "config"),
    GPUCTL_STATE_DIR: join(folder, "state"),
    ...more,
  };
  return {
    folder,
    env,
    run: async (line, options = {}) => {
      const [program, ...first] = options.command ?? [process.execPath, launcher];
      const { exitCode, stdout, stderr } = await execa(
        program,
        [...first, ...(typeof line === "string" ? words(line) : line)],
        {
          cwd: folder,
          env: { ...env, ...options.env },
          extendEnv: false,
          reject: false,
          stripFinalNewline: false,
          ...(options.input === undefined ? { stdin: "ignore" } : { input: options.input }),
        },
      );
      return { code: exitCode, out: stdout, err: stderr };
    },
    start: (line, own = {}) => {
      const child = launch(line, folder, { ...env, ...own });
      started.push(child);
      return child;
    },
  };
}

type Child = ReturnType<typeof launch>;

const launch = (line: string, cwd: string, env: Environment) =>
  execa(process.execPath, [launcher, ...words(line)], {
    cwd,
    env,
    extendEnv: false,
    reject: false,
    stdin: "ignore",
  });

/** The first piece that a stream brings, as text. */
export const firstPiece = (stream: NodeJS.ReadableStream | null | undefined): Promise<string> =>
  new Promise((resolve, reject) => {
    stream?.once("data", (chunk) => resolve(String(chunk)));
    stream?.once("end", () => reject(new Error("it ended without a word")));
  });
