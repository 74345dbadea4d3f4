import { type EnvironmentName, environmentNames } from "../contract/sandbox.ts";
import { serve } from "../sandbox/index.ts";
import { SandboxClosed } from "./closed.ts";
import { openControlled } from "./controls.ts";
import type { Fault } from "./fault.ts";
import { answerIn } from "./in-process.ts";
import { aFunction, aSwitch, checkOptionsOf, type OptionRule, oneOf, wholeNumber } from "./options.ts";
import type { Span } from "./span.ts";

export type { EnvironmentName } from "../contract/sandbox.ts";
export { CannotListen } from "../sandbox/cannot-listen.ts";
export { ControlRefused } from "../sandbox/control/refused.ts";
export { MissingDependency } from "../sandbox/missing-dependency.ts";
export { StoreError } from "../sandbox/store-error.ts";
export { SandboxClosed } from "./closed.ts";
export type { Fault } from "./fault.ts";
export type { Span } from "./span.ts";

export interface SandboxOptions {
  /** The file that keeps the state; in memory, and gone when closed, when left out. Processes may share a file. */
  readonly file?: string | undefined;
  /** Milliseconds since 1970; the machine's clock when left out. */
  readonly now?: (() => number) | undefined;
  /** Whether it is served over HTTP, too; it is when left out. `fetch` answers without. */
  readonly serve?: boolean | undefined;
  /** The port of this machine to serve on; a free one when left out. */
  readonly port?: number | undefined;
  /**
   * Serves just the operations of an environment: those that are `documented`, the `replacements` in the place of the
   * deprecated ones, or of two at different paths the `legacy` one. All that are documented or assumed when left out.
   */
  readonly only?: EnvironmentName | undefined;
}

const rules: Readonly<Record<keyof SandboxOptions, OptionRule>> = {
  file: { right: "the path of a file", holds: (value) => typeof value === "string" && value !== "" },
  now: aFunction,
  serve: aSwitch,
  port: wholeNumber(0, 65_535),
  only: oneOf(environmentNames),
};

/** The whole service, on this machine; once it is closed, everything but `close` throws `SandboxClosed`. */
export interface Sandbox extends AsyncDisposable {
  /** Answers as the service would, in this process. The host does not matter, and a path alone will do. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Where it is served, such as `http://127.0.0.1:49152`; a name that only `fetch` answers to when it is not. */
  readonly url: string;
  /** API keys: one that may do everything, one that may only read. */
  readonly keys: { readonly full: string; readonly readOnly: string };
  /** Restores the initial state: one user, the keys, nothing rented, no faults, and the time as it is outside. */
  reset(): void;
  /**
   * Lets time pass at once: rentals boot, cost money, and end with their terms. Milliseconds, or a text such as `30d`.
   * Throws `RangeError` for what is neither, and `ControlRefused` beyond the year 9999.
   */
  advance(span: Span): void;
  /** Lets calls to an operation fail. Throws `ControlRefused` that says what is no fault, or `RangeError` for a span. */
  fault(fault: Fault): void;
  /** Ends what is served, and the state when it is in memory. */
  close(): Promise<void>;
}

/**
 * Opens a sandbox: the service, with nothing rented and no model run.
 * @throws TypeError for an option that cannot be used
 * @throws MissingDependency without the packages that hold SQLite and serve it
 * @throws StoreError when the file cannot be used
 * @throws CannotListen when the port is in use
 * @throws TypeError when there is no such environment
 * @example
 * const sandbox = await createSandbox();
 * const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.keys.full });
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  checkOptionsOf("createSandbox", options, rules);
  const { file = ":memory:", now = Date.now, serve: served = true, port = 0, only } = options;
  const { sandbox, reset, advance, fault } = await openControlled({ file, now, only });
  const server = served
    ? await serve(sandbox, { host: "127.0.0.1", port }).catch((error: unknown) => {
        sandbox.close();
        throw error;
      })
    : undefined;
  const url = server?.url ?? unserved;
  let closed = false;
  const close = async (): Promise<void> => {
    closed = true;
    await server?.close();
    sandbox.close();
  };
  const assertOpen = (used: string): void => {
    if (closed) throw new SandboxClosed(used);
  };
  /** The same while the sandbox is open. */
  const whileOpen =
    <Given extends unknown[]>(name: string, work: (...given: Given) => void) =>
    (...given: Given): void => {
      assertOpen(name);
      work(...given);
    };
  const answer = answerIn(sandbox, url);
  return {
    fetch: async (...given) => {
      assertOpen("fetch");
      return answer(...given);
    },
    url,
    keys: sandbox.keys,
    reset: whileOpen("reset", reset),
    advance: whileOpen("advance", advance),
    fault: whileOpen("fault", fault),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Where a sandbox that is not served pretends to be; the name can lead nowhere else. */
const unserved = "http://sandbox.localhost";
