import console from "node:console";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type Jq, type JqResult, loadJq } from "jq-wasm";
import { stringifyExactly } from "../core/values/exact-numbers.ts";
import { escapeControls } from "./json.ts";

/** The `--jq` expression does not compile. */
class BadFilter extends Error {
  override readonly name = "BadFilter";
}

/** The `--jq` expression compiles but fails on the data. */
class FilterFailed extends Error {
  override readonly name = "FilterFailed";
  readonly hint = "Only the filter failed: the request succeeded, and a retry sends it again.";
}

/**
 * Returns the results, one per line: strings without quotes, other values as compact JSON. `messages` is what the filter
 * wrote to stderr, for example with `debug`.
 *
 * @throws {FilterFailed}
 */
export type Filter = (data: unknown) => { readonly text: string; readonly messages: string };

/**
 * Compiles a jq expression without running it.
 *
 * @throws {BadFilter}
 */
export async function compileFilter(expression: string): Promise<Filter> {
  const jq = await loadJq({ wasmBinary: await readFile(wasmFile()) });
  // jq parses an expression that begins with a dash as a flag.
  const program = expression.startsWith("-") ? ` ${expression}` : expression;
  const compiled = jq.raw("", program);
  if (compiled.exitCode !== 0) throw new BadFilter(`invalid --jq expression: ${reason(compiled.stderr)}`);
  return (data) => {
    const { stdout, stderr, exitCode } = runFilter(jq, program, stringifyExactly(data) ?? "null");
    if (exitCode !== 0) throw filterFailure(reason(stderr) || `jq exited with status ${exitCode}`);
    const values = stdout.split("\n").filter((line) => line !== "");
    return {
      text: values.map((value) => `${shown(value)}\n`).join(""),
      messages: stderr.trimEnd(),
    };
  };
}

/** In the bundle the file is next to this code, otherwise in its package. */
function wasmFile(): string {
  const { resolve } = createRequire(import.meta.url);
  try {
    return resolve("./jq.wasm");
  } catch {
    return resolve("jq-wasm/jq.wasm");
  }
}

/** The memory limit that jq.wasm is built with, in megabytes. */
const MAX_MEMORY = 256;

function runFilter(jq: Jq, program: string, input: string): JqResult {
  const { error } = console;
  // On an abort, jq.wasm logs to the console, which would add to the one JSON document on stderr.
  console.error = () => {};
  try {
    return jq.raw(input, program, ["-c"]);
  } catch (cause) {
    if (!(cause instanceof Error && cause.name === "RuntimeError")) throw cause;
    throw filterFailure(
      `jq stopped, probably because it needs more than ${MAX_MEMORY} MB of memory; pipe -o jsonl to an installed jq instead`,
    );
  } finally {
    console.error = error;
  }
}

const filterFailure = (why: string): FilterFailed => new FilterFailed(`--jq failed on the response: ${why}`);

const reason = (stderr: string): string =>
  stderr
    .replace(/^jq: error(?: \(at [^)]*\))?:? ?/gm, "")
    .replace(/\n*jq: \d+ compile errors?\s*$/, "")
    .trim();

const shown = (value: string): string =>
  value.startsWith('"') ? String(JSON.parse(value)) : escapeControls(value);
