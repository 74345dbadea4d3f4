import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { main } from "../../src/cli/start/main.ts";
import type { Sandbox, Services } from "../../src/cli/start/services.ts";
import type { DescriptionCache } from "../../src/client/description.ts";
import type { Fetch } from "../../src/client/fetch.ts";
import type { Installation } from "../../src/command-kit/context.ts";
import { Unavailable } from "../../src/core/errors.ts";
import type { OperationSetName } from "../../src/core/sandbox.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { sandboxLimits } from "../../src/sandbox/limits.ts";
import { serve } from "../../src/sandbox/serve.ts";
import { descriptionFiles } from "../../src/system/description-cache.ts";
import { isWritable, readText, stat } from "../../src/system/files.ts";
import type { Programs, Prompts, Sink, System } from "../../src/system/types.ts";
import { throughProxy } from "./conformance.ts";
import { words } from "./words.ts";

/** The outcome of one run of gpuctl. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  /** The bytes of stdout, for what is not text. */
  readonly bytes: Buffer;
  readonly err: string;
  /** Requests that reached the service in this run. */
  readonly requests: readonly SeenRequest[];
  /** Milliseconds that were waited, as the fake clock saw them. */
  readonly slept: readonly number[];
  /** Texts that were shown with a spinner, one after the other. */
  readonly shown: readonly string[];
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
  /** What a pipe on stdin holds; without it stdin is a terminal exactly when `terminal` is. */
  readonly stdin?: string | Uint8Array;
  /** stdin, stdout and stderr are a terminal of this many columns. */
  readonly terminal?: number;
  /** Its height. */
  readonly rows?: number;
  readonly prompts?: Partial<Prompts>;
  /** Other programs of the machine; none is there unless it is given. */
  readonly programs?: Partial<Programs>;
  readonly signal?: AbortSignal;
  /** stdout takes nothing, and fails with this. */
  readonly writeFails?: Error;
  /** What the machine shows of itself; it is in order otherwise, with nothing installed. */
  readonly machine?: Partial<TestMachine>;
  /** The ID of the user that runs gpuctl, if it is not that of this process. */
  readonly user?: number;
}

/** What a test may set of the machine. */
export type TestMachine = Pick<
  Installation,
  "nodeVersion" | "neededNode" | "platform" | "which" | "proxyFor" | "probe" | "sandboxHealth"
>;

export interface Cli {
  /** A folder of this test's own: the current folder of every run. */
  readonly folder: string;
  readonly sandbox: Sandbox & Pick<Awaited<ReturnType<typeof createSandbox>>, "withOperationSet">;
  /** Moves the clock that gpuctl and the sandbox share. */
  readonly advance: (milliseconds: number) => void;
  readonly run: (line: string | readonly string[], options?: RunOptions) => Promise<Outcome>;
}

/** Responds instead of the sandbox. */
export type Responder = (request: SeenRequest) => Response | undefined | Promise<Response | undefined>;

interface Replacements {
  readonly respond?: Responder;
  /** Replaces what serves the sandbox over HTTP, for a test that must not take a port. */
  readonly listen?: typeof serve;
  /** The service's description is fetched and cached; otherwise the cache says that fetching it has just failed. */
  readonly negotiates?: boolean;
  /** The environment whose operations the sandbox has. */
  readonly only?: OperationSetName;
}

export const firstMoment = Date.parse("2026-11-20T12:00:00.000Z");

/**
 * The real program on a sandbox in memory, in a folder of its own, with a clock that moves only by waiting.
 * `respond` can respond to a request instead of the sandbox. Everything is gone when the test ends.
 */
export async function createCli({
  respond,
  listen = serve,
  negotiates = false,
  only,
}: Replacements = {}): Promise<Cli> {
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-test-"));
  let now = firstMoment;
  const sandbox = throughProxy(await createSandbox({ file: ":memory:", now: () => now, only }), only);
  onTestFinished(async () => {
    sandbox.close();
    for (const one of [folder, temporaryFolder(folder)]) await rm(one, { recursive: true, force: true });
  });

  async function run(line: string | readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const requests: SeenRequest[] = [];
    const slept: number[] = [];
    const shown: string[] = [];
    const stdout = memorySink(options, options.writeFails);
    const stderr = memorySink(options);
    const through = async (request: Request): Promise<Response> => {
      const seen = await look(request.clone());
      requests.push(seen);
      return (await respond?.(seen)) ?? sandbox.fetch(request);
    };
    const machine = { ...healthyMachine(folder), ...options.machine };
    const system: System = {
      env: { ...options.env },
      io: {
        stdin: {
          isTTY: options.stdin === undefined && options.terminal !== undefined,
          read: async () => Buffer.from(options.stdin ?? ""),
        },
        stdout: stdout.sink,
        stderr: stderr.sink,
        prompts: async () => ({ ...noPrompts, ...options.prompts }),
        spinner: async (text) => {
          shown.push(text);
          return { update: (next) => shown.push(next), stop: () => {} };
        },
        hideCursor: async () => {
          await stdout.sink.write("\u001b[?25l");
          return () => void stdout.sink.write("\u001b[?25h");
        },
      },
      clock: {
        now: () => now,
        sleep: async (milliseconds, signal) => {
          signal.throwIfAborted();
          slept.push(milliseconds);
          now += milliseconds;
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
        read: (path) => readFile(path),
        readText,
        stat,
        isWritable,
      },
      programs: { ...noPrograms, which: machine.which, ...options.programs },
      machine: { nodeVersion: machine.nodeVersion, platform: machine.platform, home: folder },
      interrupted: options.signal ?? new AbortController().signal,
      random: () => 0.5,
    };
    const services: Services = {
      version: "0.0.0-test",
      neededNode: machine.neededNode,
      network: {
        connect: async () => ({ fetch: asFetch(through), close: () => {} }),
        probe: machine.probe,
        proxyFor: machine.proxyFor,
      },
      sandbox: {
        open: async () => ({
          ...sandbox,
          fetch: through,
          close: () => {},
          serve: ({ only, ...address }) => listen(sandbox.withOperationSet(only), address),
        }),
        facts: async () => ({ keys: sandbox.keys, limits: sandboxLimits }),
        health: machine.sandboxHealth,
      },
      descriptionCache: async () =>
        negotiates ? descriptionFiles(() => join(folder, "state")) : undescribed(now),
    };
    const code = await main(
      typeof line === "string" ? words(line).slice(isNamed(line) ? 1 : 0) : line,
      system,
      services,
    );
    const bytes = stdout.bytes();
    return { code, bytes, out: bytes.toString(), err: stderr.bytes().toString(), requests, slept, shown };
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

/** The system's temporary folder, as a run sees it. */
export const temporaryFolder = (folder: string): string => `${folder}-temporary`;

const undescribed = (failedAt: number): DescriptionCache => ({
  read: async (url) => `${JSON.stringify({ url, failedAt })}\n`,
  write: async () => {},
});

/** A whole command line may start with the name of the command. */
const isNamed = (line: string): boolean => /^gpuctl(\s|$)/.test(line);

function memorySink({ terminal, rows }: RunOptions, failure?: Error): { sink: Sink; bytes: () => Buffer } {
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
      },
    },
  };
}

async function look(request: Request): Promise<SeenRequest> {
  const url = new URL(request.url);
  const text = await request.text();
  return {
    method: request.method,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: Object.fromEntries(request.headers),
    body: text === "" ? undefined : JSON.parse(text),
  };
}

const asFetch =
  (through: (request: Request) => Promise<Response>): Fetch =>
  (url, init) =>
    through(new Request(url, init));

const healthyMachine = (home: string): TestMachine => ({
  nodeVersion: "20.19.0",
  neededNode: ">=20.19",
  platform: "linux",
  which: async () => undefined,
  proxyFor: async () => undefined,
  probe: async () => ({ date: new Date(firstMoment).toUTCString(), certificate: undefined }),
  sandboxHealth: async () => ({ packages: [], file: join(home, "sandbox.sqlite"), exists: false }),
});

const notThere = async (program: string): Promise<never> => {
  throw new Unavailable(`${program} is not on this test's machine`, "");
};
const noPrograms: Pick<Programs, "run" | "output"> = { run: notThere, output: notThere };

const unasked = () => {
  throw new Error("gpuctl showed a prompt that this test did not expect");
};
const noPrompts: Prompts = { text: unasked, secret: unasked, choose: unasked, confirm: unasked };
