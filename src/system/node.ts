import process from "node:process";
import type { Readable } from "node:stream";
import { isatty } from "node:tty";
import { usesAscii } from "../core/locale.ts";
import { collected, freeBytes, nodeFiles, openWaiting } from "./files.ts";
import { interruption } from "./interruption.ts";
import { copyThroughTerminal, drawnInAscii, fullScreen, openStdout, sink, spinner } from "./terminal.ts";
import type { Prompts, Source, System } from "./types.ts";

/** The real system. Streams are opened, and heavy modules loaded, on first use. */
export async function nodeSystem(): Promise<System> {
  const { env } = process;
  const interruptions = interruption();
  const programs = async () => (await import("./programs.ts")).nodePrograms(interruptions);
  return {
    env,
    io: {
      stdin: {
        // Opening stdin takes 2 ms, and most commands do not read it.
        get isTTY() {
          return isatty(0);
        },
        read: readStdin,
        pieces: stdinPieces,
      },
      stdout: sink(openStdout),
      stderr: sink(() => (usesAscii(env) ? drawnInAscii(process.stderr) : process.stderr), {
        optional: true,
      }),
      prompts: async () =>
        untilInterrupted(
          env.TERM === "dumb"
            ? (await import("./plain-prompts.ts")).plainPrompts
            : (await import("./prompts.ts")).prompts,
          interruptions.signal,
        ),
      spinner,
      lineEditor: async (options) => (await import("./line-editor.ts")).lineEditor(options),
      copy: copyThroughTerminal,
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
      runQuietly: async (...args) => (await programs()).runQuietly(...args),
      shell: async (...args) => (await programs()).shell(...args),
      output: async (...args) => (await programs()).output(...args),
      capture: async (...args) => (await programs()).capture(...args),
      stream: async (...args) => (await programs()).stream(...args),
      feed: async (...args) => (await programs()).feed(...args),
      start: async (...args) => (await programs()).start(...args),
      which: async (...args) => (await programs()).which(...args),
    },
    machine: {
      nodeVersion: process.versions.node,
      freeBytes,
      platform: process.platform,
      home: env.HOME || env.USERPROFILE || "",
    },
    interrupted: interruptions.signal,
    interruptible: interruptions.interruptible,
    random: Math.random,
  };
}

/** A prompt handles Ctrl-C itself. If Ctrl-C is pressed between two prompts, the second prompt is not shown. */
function untilInterrupted(prompts: Prompts, interrupted: AbortSignal): Prompts {
  const guarded =
    <Question, Answer>(ask: (question: Question) => Promise<Answer>) =>
    async (question: Question): Promise<Answer> => {
      interrupted.throwIfAborted();
      return ask(question);
    };
  return {
    text: guarded(prompts.text),
    secret: guarded(prompts.secret),
    choose: guarded(prompts.choose),
    confirm: guarded(prompts.confirm),
    report: prompts.report,
  };
}

async function* stdinPieces(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { addAbortSignal } = await import("node:stream");
  yield* addAbortSignal(signal, await openStdin());
}

const readStdin: Source["read"] = async ({ signal, onWait, patience, maxBytes }) => {
  const { addAbortSignal } = await import("node:stream");
  const timer = setTimeout(onWait, patience);
  try {
    const bytes = await collected(addAbortSignal(signal, await openStdin()), maxBytes);
    // Ctrl-C in a pipeline also ends the program that writes to stdin, so the end of stdin may arrive before the
    // signal.
    await new Promise(setImmediate);
    return bytes;
  } finally {
    clearTimeout(timer);
    signal.throwIfAborted();
  }
};

/**
 * Opens stdin to read it to its end. After the end, `process.stdin` is closed, so a later prompt could not read from it.
 * For this reason, a terminal is opened again instead.
 */
async function openStdin(): Promise<Readable> {
  const own = isatty(0) ? await openWaiting("/dev/tty").catch(() => undefined) : undefined;
  return own ?? process.stdin;
}
