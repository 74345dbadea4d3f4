import console from "node:console";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type Jq, type JqResult, loadJq } from "jq-wasm";
import { BadFilter, FilterFailed } from "./filter-errors.ts";
import { harmless } from "./json.ts";
import { sanitize } from "./sanitize.ts";

export interface Filtered {
  /** What the filter gave, a line each: strings as they are, anything else as compact JSON. */
  readonly text: string;
  /** What the filter itself said, such as with `debug`. */
  readonly messages: string;
}

/** Throws `FilterFailed`. */
export type Filter = (data: unknown, terminal: boolean) => Filtered;

/** A jq filter, compiled without an input, so that nothing of it runs yet. Throws `BadFilter`. */
export async function compileFilter(expression: string): Promise<Filter> {
  const jq = await loadJq({ wasmBinary: await readFile(wasmFile()) });
  // What begins with a dash would be taken for a flag.
  const program = expression.startsWith("-") ? ` ${expression}` : expression;
  const compiled = jq.raw("", program);
  if (compiled.exitCode !== 0) throw new BadFilter(`--jq does not compile: ${reason(compiled.stderr)}`);
  return (data, terminal) => {
    const { stdout, stderr, exitCode } = applied(jq, program, JSON.stringify(data) ?? "null");
    if (exitCode !== 0) throw notApplied(reason(stderr) || `jq ended with ${exitCode}`);
    const values = stdout.split("\n").filter((line) => line !== "");
    return {
      text: values.map((value) => `${shown(value, terminal)}\n`).join(""),
      messages: sanitize(stderr),
    };
  };
}

/** Beside this code in a bundle, else in its package. */
function wasmFile(): string {
  const { resolve } = createRequire(import.meta.url);
  try {
    return resolve("./jq.wasm");
  } catch {
    return resolve("jq-wasm/jq.wasm");
  }
}

/** Megabytes of memory that jq was built to take at most. */
const MEMORY = 256;

function applied(jq: Jq, program: string, input: string): JqResult {
  const { error } = console;
  // When it gives up it says so there by itself, beside the one document that stderr may hold.
  console.error = () => {};
  try {
    return jq.raw(input, program, ["-c"]);
  } catch (cause) {
    if (!(cause instanceof Error && cause.name === "RuntimeError")) throw cause;
    throw notApplied(
      `jq gave up, most likely as it needs more than ${MEMORY} MB of memory for it; -o jsonl gives records to a jq of your own`,
    );
  } finally {
    console.error = error;
  }
}

const notApplied = (why: string): FilterFailed =>
  new FilterFailed(`--jq cannot be applied to the answer: ${why}`);

const reason = (stderr: string): string =>
  stderr
    .replace(/^jq: error(?: \(at [^)]*\))?:? ?/gm, "")
    .replace(/\n*jq: \d+ compile errors?\s*$/, "")
    .trim();

function shown(value: string, terminal: boolean): string {
  if (!value.startsWith('"')) return harmless(value, terminal);
  const text = String(JSON.parse(value));
  return terminal ? sanitize(text) : text;
}
