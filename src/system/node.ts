import process from "node:process";
import { nodeFiles } from "./files.ts";
import { interruption } from "./interruption.ts";
import { fullScreen, sink, spinner } from "./terminal.ts";
import type { System } from "./types.ts";

/** The real system. Streams are opened, and heavy modules loaded, on first use. */
export async function nodeSystem(): Promise<System> {
  const { env } = process;
  const { signal: interrupted, leaveToChild } = interruption();
  const programs = async () => (await import("./programs.ts")).nodePrograms(leaveToChild);
  return {
    env,
    io: {
      stdin: {
        get isTTY() {
          return process.stdin.isTTY === true;
        },
        read: async () => (await import("node:stream/consumers")).buffer(process.stdin),
      },
      stdout: sink(() => process.stdout),
      stderr: sink(() => process.stderr, { optional: true }),
      prompts: async () =>
        env.TERM === "dumb"
          ? (await import("./plain-prompts.ts")).plainPrompts
          : (await import("./prompts.ts")).prompts,
      spinner,
      fullScreen: async (options) => fullScreen(options),
    },
    clock: {
      now: Date.now,
      sleep: async (milliseconds, signal) => {
        const { setTimeout: pause } = await import("node:timers/promises");
        await pause(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted());
      },
    },
    files: await nodeFiles(env),
    programs: {
      run: async (...args) => (await programs()).run(...args),
      output: async (...args) => (await programs()).output(...args),
      which: async (...args) => (await programs()).which(...args),
    },
    machine: {
      nodeVersion: process.versions.node,
      platform: process.platform,
      home: env.HOME || env.USERPROFILE || "",
    },
    interrupted,
    random: Math.random,
  };
}
