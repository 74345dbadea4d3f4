import { orAborted } from "../client/deadline.ts";
import { type OperationSetName, operationSetNames, type ScenarioName, scenarios } from "../core/sandbox.ts";
import { createSandbox as createService, type Sandbox as Service, serve } from "../sandbox/index.ts";
import type { NumberedRequest as LoggedRequest } from "../sandbox/requests/log.ts";
import {
  addBoot,
  addFault,
  addSituation,
  advance,
  type Boot,
  type ChatReply,
  type ChatReplyStatus,
  checkedClock,
  type Engine,
  expectRequests,
  type Fault,
  type RequestExpectation,
  type RequestFilter,
  type Situation,
  type Span,
  setEngine,
} from "./controls.ts";
import type { Seed } from "./generated/seed.ts";
import {
  booleanRule,
  checkOptions,
  functionRule,
  type OptionRule,
  oneOfRule,
  shown,
  wholeNumberRule,
} from "./options.ts";

export { ExpectationFailed } from "../core/errors.ts";
export type { OperationSetName as EnvironmentName, ScenarioName } from "../core/sandbox.ts";
export { ControlRefused } from "../sandbox/errors.ts";
export { MissingDependency } from "../sandbox/packages.ts";
export type { NumberedRequest as LoggedRequest } from "../sandbox/requests/log.ts";
export { CannotListen } from "../sandbox/serve.ts";
export { StoreError } from "../sandbox/store/store.ts";
export type {
  Boot,
  ChatReply,
  ChatReplyStatus,
  Engine,
  Fault,
  RequestExpectation,
  RequestFilter,
  Situation,
  Span,
  TextPattern,
} from "./controls.ts";
export type { Seed } from "./generated/seed.ts";

export interface SandboxOptions {
  /** The file that holds the state. Several processes can share it. By default, the state is held in memory. */
  readonly file?: string | undefined;
  /** Returns milliseconds since 1970; the machine's clock by default. */
  readonly now?: (() => number) | undefined;
  /** Whether to serve the sandbox over HTTP as well; true by default. `fetch` works either way. */
  readonly serve?: boolean | undefined;
  /** The port to serve on; a free one by default. */
  readonly port?: number | undefined;
  /**
   * Serves only some operations. `documented`: the documented operations. `replacements`: the replacements in place of
   * the deprecated operations. `legacy`: the documented operations without the newer paths of deprecated ones. By
   * default, all of these and the assumed operations are served.
   */
  readonly only?: OperationSetName | undefined;
  /**
   * The state that the sandbox starts with and that `reset` restores: a document with rentals, volumes, keys, the user,
   * a balance or a clock, or the document's text in YAML or JSON. It replaces the state in `file`.
   */
  readonly seed?: Seed | string | undefined;
  /** The scenario to start in, such as `capacity-crunch`. `reset` restores it. */
  readonly scenario?: ScenarioName | undefined;
}

const rules: Readonly<Record<keyof SandboxOptions, OptionRule>> = {
  file: { expected: "the path of a file", isValid: (value) => typeof value === "string" && value !== "" },
  now: functionRule,
  serve: booleanRule,
  port: wholeNumberRule(0, 65_535),
  only: oneOfRule(operationSetNames),
  seed: {
    expected: "a seed, or its text in YAML or JSON",
    isValid: (value) => typeof value === "string" || (typeof value === "object" && value !== null),
  },
  scenario: oneOfRule(Object.keys(scenarios)),
};

/** The whole service, running locally. Once closed, everything but `close` throws `SandboxClosed`. */
export interface Sandbox extends AsyncDisposable {
  /** Handles a request in this process. The host is ignored, and a path alone is enough. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /**
   * Where the sandbox is served, such as `http://127.0.0.1:49152`. If it is not served, a placeholder that only `fetch`
   * accepts.
   */
  readonly url: string;
  /** The built-in API keys: one with full access, one that is read-only. */
  readonly keys: { readonly full: string; readonly readOnly: string };
  /**
   * Restores the state that the sandbox started with: the seed and the scenario, or else one user, the built-in keys,
   * and the clock given by `now`. Removes all rentals, faults, engines, boot rules, situations and the chat script that
   * were added.
   */
  reset(): void;
  /**
   * Advances the clock by milliseconds, or by a string such as `30d`: rentals boot, accrue costs and end with their
   * terms.
   * @throws RangeError when the duration is invalid
   * @throws ControlRefused when the clock would pass the year 9999
   */
  advance(span: Span): void;
  /**
   * Makes calls to an operation fail.
   * @throws ControlRefused when the fault is invalid
   * @throws RangeError when a duration is invalid
   */
  fault(fault: Fault): void;
  /**
   * Generates chats, pictures or speech with your own server, until `reset` or `clearEngines`. The server is not
   * contacted before it is used.
   * @throws ControlRefused when the engine is invalid
   */
  engine(engine: Engine): void;
  /** Removes all engines, so that the sandbox generates again. */
  clearEngines(): void;
  /**
   * Makes new rentals boot slowly, fail to boot, or never boot.
   * @throws ControlRefused when the rule is invalid
   * @throws RangeError when a duration is invalid
   */
  boot(boot: Boot): void;
  /** Returns the requests that match, oldest first: the most recent 50, or as many as `limit` says. */
  requests(filter?: RequestFilter & { readonly limit?: number | undefined }): readonly LoggedRequest[];
  /** Removes the requests that match from the log, or all requests if there is no filter. */
  clearRequests(filter?: RequestFilter): void;
  /**
   * Checks how many requests match: `count`, or `atLeast` (1 by default) and `atMost`.
   * @throws ExpectationFailed with the requests that come nearest
   * @throws ControlRefused when the expectation is invalid
   */
  expectRequests(expectation: RequestExpectation): void;
  /**
   * Adds a situation of a real cloud, such as sold out GPUs, an interrupted rental or a rate limit.
   * @throws ControlRefused when the situation is invalid
   * @throws RangeError when a duration is invalid
   */
  situation(situation: Situation): void;
  /**
   * Replaces the situations, boot rules and faults with those of a scenario; `none` removes them.
   * @throws ControlRefused when there is no such scenario
   */
  scenario(name: ScenarioName): void;
  /**
   * The script of replies for the chat. Without a script, the chat echoes the last message. `reset` removes the script.
   */
  readonly chatScript: {
    /**
     * Replaces the script. Each request gets the first matching reply that is not used up, whatever its model. A
     * request that matches no reply gets 400.
     * @throws ControlRefused naming each invalid field, such as `replies.0.text`
     */
    set(replies: readonly ChatReply[]): void;
    show(): readonly ChatReplyStatus[];
    clear(): void;
  };
  /** Stops serving, and discards the state if it is in memory. */
  close(): Promise<void>;
}

/**
 * Opens a sandbox: the whole service, running locally.
 * @throws TypeError when an option is invalid
 * @throws ControlRefused when the seed is invalid
 * @throws MissingDependency when an optional package is missing
 * @throws StoreError when the file cannot be used
 * @throws CannotListen when the port is in use
 * @example
 * const sandbox = await createSandbox();
 * const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.keys.full });
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  checkOptions("createSandbox", options, rules);
  const { file = ":memory:", now = Date.now, serve: served = true, port = 0, only, seed, scenario } = options;
  const sandbox = await createService({ file, now: checkedClock(now), environment, only });
  const start = await startOf(sandbox, { seed, scenario }).catch((error: unknown) => {
    sandbox.close();
    throw error;
  });
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
  return {
    fetch: async (input, init) => {
      assertOpen("fetch");
      return fetchFrom(sandbox, url, input, init);
    },
    url,
    keys: sandbox.keys,
    reset() {
      assertOpen("reset");
      sandbox.reset();
      start();
    },
    advance(span) {
      assertOpen("advance");
      advance(sandbox, span);
    },
    fault(fault) {
      assertOpen("fault");
      addFault(sandbox, fault);
    },
    engine(engine) {
      assertOpen("engine");
      setEngine(sandbox, engine);
    },
    clearEngines() {
      assertOpen("clearEngines");
      sandbox.engines.clear();
    },
    boot(boot) {
      assertOpen("boot");
      addBoot(sandbox, boot);
    },
    requests(filter) {
      assertOpen("requests");
      return sandbox.requests.list(filter);
    },
    clearRequests(filter) {
      assertOpen("clearRequests");
      sandbox.requests.clear(filter);
    },
    expectRequests(expectation) {
      assertOpen("expectRequests");
      expectRequests(sandbox, expectation);
    },
    situation(situation) {
      assertOpen("situation");
      addSituation(sandbox, situation);
    },
    scenario(name) {
      assertOpen("scenario");
      sandbox.scenario(name);
    },
    chatScript: {
      set(replies) {
        assertOpen("chatScript.set");
        sandbox.chatScript.set(replies);
      },
      show() {
        assertOpen("chatScript.show");
        return sandbox.chatScript
          .show()
          .map(({ index, reply, times, used }) => ({ index, reply, times, used }));
      },
      clear() {
        assertOpen("chatScript.clear");
        sandbox.chatScript.clear();
      },
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Fills a sandbox with a seed and starts a scenario. Returns a function that does it again. @throws ControlRefused */
async function startOf(
  sandbox: Service,
  { seed, scenario }: Pick<SandboxOptions, "seed" | "scenario">,
): Promise<() => void> {
  const fill = seed === undefined ? () => {} : await sandbox.prepareSeed(seed);
  const start = () => {
    fill();
    if (scenario !== undefined) sandbox.scenario(scenario);
  };
  start();
  return start;
}

const environment = (name: string): string | undefined => globalThis.process.env[name];

/** The URL of a sandbox that is not served; this name never resolves to another machine. */
const unserved = "http://sandbox.localhost";

/** A sandbox was used after it was closed. */
export class SandboxClosed extends Error {
  override readonly name = "SandboxClosed";

  constructor(used: string) {
    super(`${used} was used after the sandbox was closed; open another with createSandbox`);
  }
}

/**
 * Fetches from a sandbox. A path alone is resolved against `url`. An aborted signal ends the wait. If the connection
 * breaks, rejects with a `TypeError`, as every `fetch` does.
 */
async function fetchFrom(
  { fetch }: Service,
  url: string,
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<Response> {
  const isUrl = typeof input === "object" && input && ("href" in input || "url" in input);
  if (typeof input !== "string" && !isUrl) {
    throw new TypeError(`fetch requires a URL, a path or a Request, not ${shown(input)}`);
  }
  const request = new Request(input instanceof Request ? input : new URL(input, url), init);
  request.signal.throwIfAborted();
  return orAborted(fetch(request).catch(broken), request.signal);
}

function broken(error: unknown): never {
  const reset = error instanceof Error && "code" in error && error.code === "ECONNRESET";
  throw reset ? new TypeError("fetch failed", { cause: error }) : error;
}
