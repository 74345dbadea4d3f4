import console from "node:console";
import { addAbortListener } from "node:events";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import type { Jq, JqResult } from "jq-wasm";
import { locate } from "../core/runtime/packages.ts";
import { TimeLimitExceeded, withinTime } from "../core/tasks/time-limit.ts";
import { escapeControls } from "./json.ts";

/** The `--jq` expression does not compile. */
class BadFilter extends Error {
  override readonly name = "BadFilter";
}

/** The `--jq` expression compiles but fails on the data. */
class FilterFailed extends Error {
  override readonly name = "FilterFailed";
  readonly hint =
    "The command succeeded and only the filter failed. Running the command again sends its requests again.";
}

/** A compiled jq expression. */
export interface Filter {
  /**
   * Filters JSON. Returns the results, one per line: strings without quotes, other values as compact JSON. `messages`
   * is what the filter wrote to stderr, for example with `debug`.
   *
   * @throws {FilterFailed}
   */
  readonly run: (json: string) => Promise<{ readonly text: string; readonly messages: string }>;
  /** Whether the filter gives the same results if it runs on parts of a list instead of the whole list. */
  readonly isForEachItem: boolean;
}

/**
 * Matches `.[]`, or a path such as `.[].id`, alone or followed by a pipe. Does not match a filter with `halt`, because
 * `halt` has to end the whole run.
 */
const forEachItem = /^\s*\.\[\](?:\?|\.[A-Za-z_]\w*|\[\d*\])*\s*(?:$|\|(?!=))(?!.*\bhalt)/s;

/**
 * Compiles a jq expression without running it. When `interrupted` is aborted, the filter stops, even in an endless
 * loop, and throws the reason.
 *
 * @throws {BadFilter}
 */
export async function compileFilter(expression: string, interrupted: AbortSignal): Promise<Filter> {
  const run = await loadJq(interrupted);
  // jq parses an expression that begins with a dash as a flag.
  const program = expression.startsWith("-") ? ` ${expression}` : expression;
  const compiled = await run("", program);
  if (compiled.exitCode !== 0) throw new BadFilter(`invalid --jq expression: ${reason(compiled.stderr)}`);
  return {
    run: async (json) => {
      const { stdout, stderr, exitCode } = await run(json, program, ["-c"]);
      if (exitCode !== 0)
        throw filterFailure(failureReason(stderr, expression) || `jq exited with status ${exitCode}`);
      const values = stdout.split("\n").filter((line) => line !== "");
      return {
        text: values.map((value) => `${shown(value)}\n`).join(""),
        messages: stderr.trimEnd(),
      };
    },
    isForEachItem: forEachItem.test(expression),
  };
}

/** The arguments of a run: the input as JSON, the program, and flags. */
type Run = [input: string, program: string, flags?: string[]];

/**
 * After this many milliseconds, a filter is stopped and runs again in a worker. WebAssembly blocks signals, so Ctrl-C
 * can stop a filter only in a worker. Most filters do not start in a worker, because starting a worker takes longer
 * than running the filter.
 */
const maxBlockingTime = 250;

/** In characters. A filter takes longer than `maxBlockingTime` for a longer input, so it starts in a worker. */
const maxInputHere = 10_000_000;

/** Bun can stop a filter only in a worker. */
const isBun = "Bun" in globalThis;

/** Loads jq. Returns a function that runs it. */
async function loadJq(interrupted: AbortSignal): Promise<(...run: Run) => Promise<JqResult>> {
  const { resolve } = createRequire(import.meta.url);
  const paths = {
    library: locate("./jq-wasm.cjs") ?? resolve("jq-wasm"),
    wasm: locate("./jq.wasm") ?? resolve("jq-wasm/jq.wasm"),
  };
  const library: typeof import("jq-wasm") = createRequire(import.meta.url)(paths.library);
  const load = async () => library.loadJq({ wasmBinary: await readFile(paths.wasm) });
  let jq: Jq | undefined = await load();
  return async (...run) => {
    const [input] = run;
    if (input.length > maxInputHere || (isBun && input !== ""))
      return runInWorker({ ...paths, run }, interrupted);
    const here = jq ?? (await load());
    // A run that is stopped leaves half a line behind, which the next run of the same jq would print.
    jq = undefined;
    try {
      const result = runHere(() => here.raw(...run));
      jq = here;
      return result;
    } catch (error) {
      if (!(error instanceof TimeLimitExceeded)) throw outOfMemory(error);
    }
    return runInWorker({ ...paths, run }, interrupted);
  };
}

/** @throws {TimeLimitExceeded} after `maxBlockingTime` */
function runHere(work: () => JqResult): JqResult {
  const { error } = console;
  // If jq.wasm aborts, it logs to the console. The log would break the JSON document on stderr.
  console.error = () => {};
  try {
    return withinTime(maxBlockingTime, work);
  } finally {
    console.error = error;
  }
}

/** The code of the worker. It is not a file, so that the tests can run it, too. */
const workerSource = `
const { readFileSync } = require("node:fs");
const { parentPort, workerData } = require("node:worker_threads");
console.error = () => {};
const { library, wasm, run } = workerData;
require(library).loadJq({ wasmBinary: readFileSync(wasm) }).then((jq) => parentPort.postMessage(jq.raw(...run)));
`;

interface WorkerData {
  /** The paths of jq's files. */
  readonly library: string;
  readonly wasm: string;
  readonly run: Run;
}

/** Runs jq in a worker. If the user interrupts, stops the worker. */
async function runInWorker(workerData: WorkerData, interrupted: AbortSignal): Promise<JqResult> {
  interrupted.throwIfAborted();
  const worker = new Worker(workerSource, { eval: true, execArgv: [], workerData });
  const listeners: Disposable[] = [];
  try {
    return await new Promise((resolve, reject) => {
      listeners.push(addAbortListener(interrupted, () => reject(interrupted.reason)));
      worker.once("message", resolve);
      worker.once("error", (error) => reject(outOfMemory(error)));
    });
  } finally {
    for (const listener of listeners) listener[Symbol.dispose]();
    await worker.terminate();
  }
}

/**
 * Returns the error to report for an error that jq threw. WebAssembly throws a `RuntimeError` if it cannot get more
 * memory.
 */
const outOfMemory = (error: unknown): unknown =>
  error instanceof Error && error.name === "RuntimeError"
    ? filterFailure(
        `jq stopped, probably because it needs more than 2 GiB of memory. A whole list of more than about 500,000 rentals is too large. If the filter handles each item separately, begin it with \`.[] |\`. Otherwise, use -o jsonl and pipe the output to the program jq`,
      )
    : error;

const filterFailure = (why: string): FilterFailed => new FilterFailed(`--jq failed on the result: ${why}`);

const reason = (stderr: string): string =>
  stderr
    .replace(/^jq: error(?: \(at [^)]*\))?:? ?/gm, "")
    .replace(/\n*jq: \d+ compile errors?\s*$/, "")
    .trim();

/** Why a filter failed. For an `input` that finds no further value, jq says only "break". */
const failureReason = (stderr: string, expression: string): string =>
  reason(stderr) === "break" && /\binput\b/.test(expression)
    ? "`input` finds no further value: the result is the only input"
    : reason(stderr);

const shown = (value: string): string =>
  value.startsWith('"') ? String(JSON.parse(value)) : escapeControls(value);
