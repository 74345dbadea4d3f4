import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { globalFlags } from "../../src/cli/globals.ts";
import { main } from "../../src/cli/main.ts";
import type { Fetch } from "../../src/client/fetch.ts";
import { nouns } from "../../src/commands/index.ts";
import type { Machine, Programs } from "../../src/context/context.ts";
import { descriptionFiles } from "../../src/context/description-cache.ts";
import { Unavailable } from "../../src/context/errors.ts";
import { factsOf, readText } from "../../src/context/machine.ts";
import type { Prompts, Sandbox, Sink, World } from "../../src/context/world.ts";
import type { EnvironmentName } from "../../src/contract/sandbox.ts";
import { completionOf } from "../../src/docs/completions/index.ts";
import { topicsOf } from "../../src/docs/topics/index.ts";
import { treeOf } from "../../src/docs/tree.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { serve } from "../../src/sandbox/serve.ts";
import { judged } from "./judged.ts";
import { words } from "./words.ts";

/** What one run of the tool came to. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  /** The bytes of stdout, for what is no text. */
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
  /** What the machine shows of itself; it is in order otherwise, with nothing installed. */
  readonly machine?: Partial<Machine>;
  /** The number of the user that runs the tool, where it is not the one of this process. */
  readonly user?: number;
}

export interface Cli {
  /** A folder of this test's own: the current folder of every run. */
  readonly folder: string;
  readonly sandbox: Sandbox & Pick<Awaited<ReturnType<typeof createSandbox>>, "having">;
  /** Moves the one clock that the tool and the sandbox share. */
  readonly advance: (milliseconds: number) => void;
  readonly run: (line: string | readonly string[], options?: RunOptions) => Promise<Outcome>;
}

/** Answers in the place of the sandbox. */
export type Answering = (request: SeenRequest) => Response | undefined | Promise<Response | undefined>;

interface Replacements {
  readonly answer?: Answering;
  /** Takes the place of what serves the sandbox over HTTP, for a test that must not take a port. */
  readonly listen?: typeof serve;
  /** The service's description is asked for and kept; without it one could not be had just now, so none is asked for. */
  readonly negotiates?: boolean;
  /** The environment whose operations the sandbox has. */
  readonly only?: EnvironmentName;
}

export const firstMoment = Date.parse("2026-11-20T12:00:00.000Z");

/**
 * The real program on a sandbox in memory, in a folder of its own, with a clock that moves only by waiting.
 * `answer` may answer a request in the sandbox's place. Everything is gone when the test ends.
 */
export async function createCli({
  answer,
  listen = serve,
  negotiates = false,
  only,
}: Replacements = {}): Promise<Cli> {
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-test-"));
  let now = firstMoment;
  const sandbox = judged(await createSandbox({ file: ":memory:", now: () => now, only }), only);
  onTestFinished(async () => {
    sandbox.close();
    for (const one of [folder, temporaryFolder(folder)]) await rm(one, { recursive: true, force: true });
  });

  async function run(line: string | readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const requests: SeenRequest[] = [];
    const slept: number[] = [];
    const shown: string[] = [];
    const stdout = memorySink(options);
    const stderr = memorySink(options);
    const through = async (request: Request): Promise<Response> => {
      const seen = await look(request.clone());
      requests.push(seen);
      return (await answer?.(seen)) ?? sandbox.fetch(request);
    };
    const world: World = {
      version: "0.0.0-test",
      env: { ...options.env },
      cwd: folder,
      folders: {
        config: join(folder, "config"),
        state: join(folder, "state"),
        temporary: temporaryFolder(folder),
      },
      stdin: {
        isTTY: options.stdin === undefined && options.terminal !== undefined,
        read: async () => Buffer.from(options.stdin ?? ""),
      },
      stdout: stdout.sink,
      stderr: stderr.sink,
      now: () => now,
      random: () => 0.5,
      sleep: async (milliseconds, signal) => {
        signal.throwIfAborted();
        slept.push(milliseconds);
        now += milliseconds;
      },
      interrupted: options.signal ?? new AbortController().signal,
      readFile: (path) => readFile(path),
      readSettings: (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
      permissions: (path) => {
        const found = statSync(path, { throwIfNoEntry: false });
        return found && { owner: found.uid, mode: found.mode };
      },
      user: options.user ?? process.geteuid?.(),
      descriptions: negotiates ? descriptionFiles(() => join(folder, "state")) : undescribed(now),
      prompts: async () => ({ ...noPrompts, ...options.prompts }),
      spinner: async (text) => {
        shown.push(text);
        return { update: (next) => shown.push(next), stop: () => {} };
      },
      hideCursor: async () => {
        await stdout.sink.write("\u001b[?25l");
        return () => void stdout.sink.write("\u001b[?25h");
      },
      connect: async () => ({ fetch: asFetch(through), close: () => {} }),
      machine: { ...machine({ ...options.env }, folder), ...options.machine },
      programs: { ...noPrograms, ...options.programs },
      completionScript: async (shell) => completionOf(shell, treeOf(nouns, globalFlags)),
      topic: async (name) => topicsOf(globalFlags).find((one) => one.name === name),
      sandboxFacts: async () => sandbox,
      openSandbox: async () => ({
        ...sandbox,
        fetch: through,
        close: () => {},
        serve: ({ only, ...address }) => listen(sandbox.having(only), address),
      }),
    };
    const code = await main(
      typeof line === "string" ? words(line).slice(isNamed(line) ? 1 : 0) : line,
      world,
    );
    const bytes = stdout.bytes();
    return { code, bytes, out: bytes.toString(), err: stderr.bytes().toString(), requests, slept, shown };
  }

  return {
    folder,
    run,
    sandbox: { ...sandbox, serve: ({ only, ...address }) => serve(sandbox.having(only), address) },
    advance: (milliseconds) => {
      now += milliseconds;
    },
  };
}

/** The system's temporary folder, as a run sees it. */
export const temporaryFolder = (folder: string): string => `${folder}-temporary`;

const undescribed = (failedAt: number): World["descriptions"] => ({
  read: async (url) => `${JSON.stringify({ url, failedAt })}\n`,
  write: async () => {},
});

/** A whole command line may start with the name of the command. */
const isNamed = (line: string): boolean => /^gpuctl(\s|$)/.test(line);

function memorySink({ terminal, rows }: RunOptions): { sink: Sink; bytes: () => Buffer } {
  const chunks: Buffer[] = [];
  return {
    bytes: () => Buffer.concat(chunks),
    sink: {
      isTTY: terminal !== undefined,
      columns: terminal ?? 80,
      rows: rows ?? 24,
      write: async (chunk) => {
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

const machine = (env: Machine["env"], home: string): Machine => ({
  nodeVersion: "20.19.0",
  neededNode: ">=20.19",
  platform: "linux",
  userId: 1000,
  home,
  env,
  which: async () => undefined,
  stat: factsOf,
  readText,
  proxyFor: async () => undefined,
  knock: async () => ({ date: new Date(firstMoment).toUTCString(), certificate: undefined }),
  sandboxHealth: async () => ({ packages: [], file: join(home, "sandbox.sqlite"), exists: false }),
});

const notThere = async (program: string): Promise<never> => {
  throw new Unavailable(`${program} is not on this test's machine`, "");
};
const noPrograms: Programs = { run: notThere, output: notThere };

const unasked = () => {
  throw new Error("the tool asked a question that this test did not expect");
};
const noPrompts: Prompts = { text: unasked, secret: unasked, choose: unasked, confirm: unasked };
