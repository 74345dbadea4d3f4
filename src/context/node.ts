import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import process from "node:process";
import type { Writable } from "node:stream";
import envPaths from "env-paths";
import { Interrupted } from "./errors.ts";
import type { Sink, World } from "./world.ts";

/** The real world, but for what other rooms make: the transport and the sandbox. The one place that touches `process`. */
export function nodeWorld(version: string): Omit<World, "connect" | "openSandbox"> {
  const paths = envPaths("gpuctl", { suffix: "" });
  const { env } = process;
  return {
    version,
    env,
    cwd: process.cwd(),
    folders: {
      config: env.GPUCTL_CONFIG_DIR || paths.config,
      state: env.GPUCTL_STATE_DIR || paths.data,
      temporary: tmpdir(),
    },
    stdin: {
      get isTTY() {
        return process.stdin.isTTY === true;
      },
      read: async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of process.stdin) chunks.push(chunk);
        return Buffer.concat(chunks);
      },
    },
    stdout: sink(process.stdout),
    stderr: sink(process.stderr, { optional: true }),
    now: Date.now,
    random: Math.random,
    sleep: async (milliseconds, signal) => {
      const { setTimeout: pause } = await import("node:timers/promises");
      await pause(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted());
    },
    interrupted: interruption(),
    readFile: async (path) => (await import("node:fs/promises")).readFile(path),
    readSettings,
    prompts: async () => (await import("./prompts.ts")).prompts,
    spinner: async (text) => (await import("./spinner.ts")).spinner(text),
  };
}

function readSettings(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR")) {
      return undefined;
    }
    throw cause;
  }
}

/** A reader of stdout that left ends the process quietly; one of stderr, which is `optional`, is not missed. */
function sink(stream: Writable & { isTTY?: boolean; columns?: number }, { optional = false } = {}): Sink {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" && !optional) process.exit(0);
  });
  return {
    isTTY: stream.isTTY === true,
    columns: stream.columns ?? 80,
    write: (chunk) =>
      new Promise((resolve, reject) => {
        stream.write(chunk, (error) => (error && !optional ? reject(error) : resolve()));
      }),
  };
}

/** Aborted by the first Ctrl-C or request to end; the second one ends the process at once. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(130);
      controller.abort(new Interrupted());
    });
  }
  return controller.signal;
}
