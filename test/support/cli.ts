import { addAbortListener } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { main } from "../../src/cli/start/main.ts";
import { type Sandbox, type Services, sandboxFetch } from "../../src/cli/start/services.ts";
import type { DescriptionCache } from "../../src/client/description.ts";
import type { Fetch } from "../../src/client/fetch.ts";
import type { Transport } from "../../src/client/transport/transport.ts";
import type { Installation } from "../../src/command-kit/context.ts";
import { type ResponseLimits, responseLimits } from "../../src/contract/plain/response-limits.ts";
import { Unavailable } from "../../src/core/errors.ts";
import { parseJson } from "../../src/core/json.ts";
import type { OperationSetName } from "../../src/core/sandbox.ts";
import type { Processes } from "../../src/core/tasks/lock.ts";
import { connectToControls } from "../../src/sandbox/control/remote.ts";
import { createSandbox, type Sandbox as SandboxService } from "../../src/sandbox/index.ts";
import { sandboxLimits } from "../../src/sandbox/limits.ts";
import { serve } from "../../src/sandbox/serve.ts";
import { descriptionFiles } from "../../src/system/description-cache.ts";
import { collected, isWritable, processes, readLimited, readText, stat } from "../../src/system/files.ts";
import type {
  LineEditor,
  LineEditorOptions,
  LineRead,
  Programs,
  Prompts,
  ReadOptions,
  Sink,
  System,
} from "../../src/system/types.ts";
import { throughProxy } from "./conformance.ts";
import { words } from "./words.ts";

/** The outcome of one run of gpuctl. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  /** The bytes of stdout, for binary output. */
  readonly bytes: Buffer;
  readonly err: string;
  /** Requests that reached the service in this run. */
  readonly requests: readonly SeenRequest[];
  /** The length of each wait on the fake clock, in milliseconds. */
  readonly slept: readonly number[];
  /** The texts that a spinner showed, in order. */
  readonly shown: readonly string[];
  /** The texts that were copied to the clipboard. */
  readonly copied: readonly string[];
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Input piped to stdin. Without it, stdin is a terminal if `terminal` is set, and empty otherwise. */
  readonly stdin?: string | Uint8Array | SlowPipe | LazyInput;
  /** stdout and stderr, and stdin unless `stdin` is given, are a terminal of this many columns. */
  readonly terminal?: number;
  /** A program that writes to gpuctl's stdin over time (`read`), and reads its stdout (`write`) and stderr (`log`). */
  readonly messages?: {
    readonly read: AsyncIterable<Uint8Array>;
    /** Called for each write to stdout. The write ends once the returned promise settles. */
    readonly write: (text: string) => unknown;
    readonly log?: (text: string) => void;
  };
  /** The height of the terminal, in rows. */
  readonly rows?: number;
  readonly prompts?: Partial<Prompts>;
  /** Programs on the machine. Default: none. */
  readonly programs?: Partial<Programs>;
  readonly signal?: AbortSignal;
  /** The lines and keys that a user enters in a conversation, followed by Ctrl-D. `tab` is a line to complete. */
  readonly lines?: readonly (string | LineRead | { readonly tab: string })[];
  /** Called with what can complete each `tab`. */
  readonly onTab?: (choices: readonly string[]) => void;
  /** The maximum number of characters that the terminal accepts for its clipboard. */
  readonly maxCopied?: number;
  /**
   * Called before work that the first Ctrl-C stops without ending gpuctl, such as an answer, a job or a batch. Returns
   * the signal that this Ctrl-C aborts.
   */
  readonly answerSignal?: () => AbortSignal;
  /** The error with which every write to stdout fails. */
  readonly writeFails?: Error;
  /** Called on each wait on the fake clock. The wait ends only after the returned promise settles. */
  readonly onSleep?: (milliseconds: number) => unknown;
  /** Overrides for the machine. By default, it is healthy, and no programs are installed on it. */
  readonly machine?: Partial<TestMachine>;
  /** The ID of the user that runs gpuctl. Default: the user of this process. */
  readonly user?: number;
  /** The processes as gpuctl sees them. Default: those of this machine, where gpuctl is this process. */
  readonly processes?: Processes;
}

/** A pipe that stays open so long that gpuctl reports that it is waiting. */
export interface SlowPipe {
  /** Called when gpuctl reports that it is waiting. */
  readonly onWait?: () => void;
  /** The text that arrives before the pipe ends. If omitted, the pipe never ends. */
  readonly ends?: string;
}

/** Input that is fetched only if gpuctl reads it. */
export type LazyInput = () => Promise<Uint8Array>;

/** The parts of the machine that a test can override. */
export type TestMachine = Pick<
  Installation,
  "nodeVersion" | "neededNode" | "platform" | "which" | "proxyFor" | "probe" | "sandboxHealth" | "freeBytes"
>;

export interface Cli {
  /** A folder of this test's own: the current folder of every run. */
  readonly folder: string;
  readonly sandbox: Omit<Sandbox, "fetch"> & Pick<SandboxService, "fetch" | "withOperationSet">;
  /** Moves the clock that gpuctl and the sandbox share. */
  readonly advance: (milliseconds: number) => void;
  readonly run: (line: string | readonly string[], options?: RunOptions) => Promise<Outcome>;
}

/** Responds to a request instead of the sandbox. If it returns undefined, the sandbox responds. */
export type Responder = (request: SeenRequest) => Response | undefined | Promise<Response | undefined>;

interface Replacements {
  /** The current folder of every run. Default: a new folder, which is removed when the test ends. */
  readonly folder?: string;
  readonly respond?: Responder;
  /** Replaces the function that serves the sandbox over HTTP, for tests that must not open a port. */
  readonly listen?: typeof serve;
  /** Whether the service's description is fetched and cached. If not, the cache says that a fetch has just failed. */
  readonly negotiates?: boolean;
  /** The operations that the sandbox serves. Default: all. */
  readonly only?: OperationSetName;
  /** Environment variables of the process that runs the sandbox. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Sends the requests to a service over the network, not to `respond`. An outcome's `requests` lacks them. */
  readonly transport?: Transport;
  /** Limits for the size of a response, instead of the usual higher ones. */
  readonly limits?: Partial<ResponseLimits>;
}

export const firstMoment = Date.parse("2026-11-20T12:00:00.000Z");

/**
 * The real program with an in-memory sandbox, in a folder of its own. Both use one clock, which moves only when gpuctl
 * waits and when `advance` is called. A folder that was passed as `folder` is not removed when the test ends.
 */
export async function createCli({
  folder: given,
  respond,
  listen = serve,
  negotiates = false,
  only,
  environment = {},
  transport,
  limits,
}: Replacements = {}): Promise<Cli> {
  const folder = given ?? (await mkdtemp(join(tmpdir(), "gpuctl-test-")));
  let now = firstMoment;
  let onKey = (_key: string | undefined): void => {};
  const sandbox = throughProxy(
    await createSandbox({
      file: ":memory:",
      now: () => now,
      searchPath: environment.PATH,
      environment: (name) => {
        onKey(environment[name]);
        return environment[name];
      },
      only,
    }),
    only,
  );
  onTestFinished(async () => {
    sandbox.close();
    for (const one of [...(given === undefined ? [folder] : []), temporaryFolder(folder)])
      await rm(one, { recursive: true, force: true, maxRetries: 10 });
  });

  async function run(line: string | readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const requests: SeenRequest[] = [];
    const slept: number[] = [];
    const shown: string[] = [];
    const copied: string[] = [];
    const stdout = memorySink(options, options.writeFails, options.messages?.write);
    const stderr = memorySink(options, undefined, options.messages?.log);
    const through: Fetch = async (url, { onSent, ...init }) => {
      onSent?.();
      const seen = await seenRequest(new Request(url, init));
      requests.push(seen);
      return (await respond?.(seen)) ?? sandboxFetch(sandbox)(url, init);
    };
    const machine = { ...healthyMachine(folder), ...options.machine };
    const system: System = {
      env: { ...options.env },
      io: {
        stdin: {
          isTTY: options.stdin === undefined && options.terminal !== undefined,
          read: (waiting) => readInput(options.stdin ?? "", waiting),
          pieces: () => options.messages?.read ?? Readable.from(inputPieces(options)),
        },
        stdout: stdout.sink,
        stderr: stderr.sink,
        prompts: async () => ({ ...noPrompts, ...options.prompts }),
        spinner: async (text) => {
          shown.push(text);
          return { update: (next) => shown.push(next), stop: () => {} };
        },
        lineEditor: async (editorOptions) => lineEditorFor(options, editorOptions),
        copy: (text) =>
          text.length <= (options.maxCopied ?? Number.POSITIVE_INFINITY) && copied.push(text) > 0,
        fullScreen: async () => {
          await stdout.sink.write("\u001b[?1049h");
          return () => void stdout.sink.write("\u001b[?1049l");
        },
      },
      clock: {
        now: () => now,
        sleep: async (milliseconds, signal) => {
          signal.throwIfAborted();
          slept.push(milliseconds);
          now += milliseconds;
          if (options.onSleep) await options.onSleep(milliseconds);
        },
      },
      files: {
        cwd: folder,
        folders: {
          config: join(folder, "config"),
          state: join(folder, "state"),
          temporary: temporaryFolder(folder),
        },
        user: options.user ?? process.geteuid?.(),
        processes: options.processes ?? processes,
        read: readLimited,
        readText,
        stat,
        isWritable,
      },
      programs: { ...noPrograms, which: machine.which, ...options.programs },
      machine: {
        nodeVersion: machine.nodeVersion,
        platform: machine.platform,
        home: folder,
        freeBytes: machine.freeBytes,
      },
      interruptible: (work) => work(options.answerSignal?.() ?? new AbortController().signal),
      interrupted: options.signal ?? new AbortController().signal,
      random: () => 0.5,
    };
    const services: Services = {
      version: "0.0.0-test",
      neededNode: machine.neededNode,
      network: {
        connect: async () => transport ?? { fetch: through, close: () => {} },
        limits: { ...responseLimits, ...limits },
        probe: machine.probe,
        proxyFor: machine.proxyFor,
      },
      sandbox: {
        open: async (opened) => {
          onKey = opened.onKey;
          return {
            ...sandbox,
            fetch: through,
            close: () => {},
            serve: ({ only, ...address }) => listen(sandbox.withOperationSet(only), address),
          };
        },
        facts: { keys: async () => sandbox.keys, limits: async () => sandboxLimits },
        connect: connectToControls,
        setAside: () => Promise.reject(new Error("the test sandbox has no file")),
        health: machine.sandboxHealth,
      },
      descriptionCache: async () =>
        negotiates ? descriptionFiles(() => join(folder, "state")) : failedDescription(now),
    };
    const code = await main(
      typeof line === "string" ? words(line).slice(hasName(line) ? 1 : 0) : line,
      system,
      services,
    );
    const bytes = stdout.bytes();
    return {
      code,
      bytes,
      out: bytes.toString(),
      err: stderr.bytes().toString(),
      requests,
      slept,
      shown,
      copied,
    };
  }

  return {
    folder,
    run,
    sandbox: { ...sandbox, serve: ({ only, ...address }) => serve(sandbox.withOperationSet(only), address) },
    advance: (milliseconds) => {
      now += milliseconds;
    },
  };
}

/** The temporary folder of a run whose current folder is `folder`. */
export const temporaryFolder = (folder: string): string => `${folder}-temporary`;

/** A cache that says that fetching the description failed. */
const failedDescription = (failedAt: number): DescriptionCache => ({
  read: async (url) => `${JSON.stringify({ url, failedAt })}\n`,
  write: async () => {},
});

/** Whether a command line starts with `gpuctl`. */
const hasName = (line: string): boolean => /^gpuctl(\s|$)/.test(line);

function memorySink(
  { terminal, rows }: RunOptions,
  failure?: Error,
  onWrite: (text: string) => unknown = () => {},
): { sink: Sink; bytes: () => Buffer } {
  const chunks: Buffer[] = [];
  return {
    bytes: () => Buffer.concat(chunks),
    sink: {
      isTTY: terminal !== undefined,
      columns: terminal ?? 80,
      rows: rows ?? 24,
      write: async (chunk) => {
        if (failure) throw failure;
        chunks.push(Buffer.from(chunk));
        await onWrite(String(chunk));
      },
    },
  };
}

function lineEditorFor({ lines = [], onTab }: RunOptions, { complete }: LineEditorOptions): LineEditor {
  const left = [...lines];
  return {
    read: async () => {
      for (;;) {
        const next = left.shift() ?? { key: "ctrl-d" };
        if (typeof next === "string") return { line: next };
        if (!("tab" in next)) return next;
        onTab?.((await complete(next.tab)).choices);
      }
    },
    remember: () => {},
    close: () => {},
  };
}

async function* inputPieces({ stdin = "" }: RunOptions): AsyncGenerator<Uint8Array> {
  yield Buffer.from(typeof stdin === "function" ? await stdin() : String(stdin));
}

async function readInput(
  input: string | Uint8Array | SlowPipe | LazyInput,
  { signal, onWait, maxBytes }: ReadOptions,
): Promise<Uint8Array> {
  if (typeof input === "string" || input instanceof Uint8Array) {
    return collected([Buffer.from(input)], maxBytes);
  }
  if (typeof input === "function") return collected([Buffer.from(await input())], maxBytes);
  onWait();
  input.onWait?.();
  signal.throwIfAborted();
  if (input.ends !== undefined) return Buffer.from(input.ends);
  return new Promise((_, reject) => addAbortListener(signal, () => reject(signal.reason)));
}

export async function seenRequest(request: Request): Promise<SeenRequest> {
  const url = new URL(request.url);
  const text = await request.text();
  return {
    method: request.method,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: Object.fromEntries(request.headers),
    body: text === "" ? undefined : (parseJson(text) ?? text),
  };
}

const healthyMachine = (home: string): TestMachine => ({
  nodeVersion: "20.19.0",
  neededNode: ">=20.19",
  platform: "linux",
  freeBytes: () => undefined,
  which: async () => undefined,
  proxyFor: async () => undefined,
  probe: async () => ({
    date: new Date(firstMoment).toUTCString(),
    isSandbox: false,
    certificate: undefined,
  }),
  sandboxHealth: async () => ({ packages: [], file: join(home, "sandbox.sqlite"), exists: false }),
});

const notInstalled = async (program: string): Promise<never> => {
  throw new Unavailable(`${program} is not installed in this test`, "");
};
const noPrograms: Omit<Programs, "which"> = {
  run: notInstalled,
  runQuietly: notInstalled,
  shell: notInstalled,
  output: notInstalled,
  stream: notInstalled,
  capture: async () => undefined,
  feed: async () => false,
  start: notInstalled,
};

const unexpectedPrompt = () => {
  throw new Error("gpuctl showed a prompt that this test did not expect");
};
const noPrompts: Prompts = {
  text: unexpectedPrompt,
  secret: unexpectedPrompt,
  choose: unexpectedPrompt,
  confirm: unexpectedPrompt,
  report: () => {},
};
