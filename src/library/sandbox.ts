import { orAborted } from "../client/deadline.ts";
import { type OperationSetName, operationSetNames, type ScenarioName, scenarios } from "../core/sandbox.ts";
import type { ClockState } from "../sandbox/clock.ts";
import type { SandboxStatus } from "../sandbox/control/controls.ts";
import type { EngineInfo as EngineStatus } from "../sandbox/control/engines.ts";
import { createSandbox as createService, type Sandbox as Service, serve } from "../sandbox/index.ts";
import type { NumberedRequest as LoggedRequest } from "../sandbox/requests/log.ts";
import {
  addBoot,
  addFault,
  addSituation,
  advance,
  type Boot,
  type BootStatus,
  type ChatReply,
  type ChatReplyStatus,
  checkedClock,
  type Engine,
  expectRequests,
  type Fault,
  type FaultStatus,
  type RequestExpectation,
  type RequestFilter,
  type Situation,
  type SituationStatus,
  type Span,
  setClock,
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
export type { ClockState } from "../sandbox/clock.ts";
export type { SandboxStatus } from "../sandbox/control/controls.ts";
export type { EngineInfo as EngineStatus } from "../sandbox/control/engines.ts";
export { ControlRefused } from "../sandbox/errors.ts";
export { MissingDependency } from "../sandbox/packages.ts";
export type { NumberedRequest as LoggedRequest } from "../sandbox/requests/log.ts";
export { CannotListen } from "../sandbox/serve.ts";
export { StoreError } from "../sandbox/store/store.ts";
export type {
  Boot,
  BootStatus,
  ChatReply,
  ChatReplyStatus,
  Engine,
  Fault,
  FaultStatus,
  RequestExpectation,
  RequestFilter,
  Situation,
  SituationStatus,
  Span,
  TextPattern,
} from "./controls.ts";
export type { Seed } from "./generated/seed.ts";

export interface SandboxOptions {
  /** The file that holds the state. Several processes can share it. By default, the state is held in memory. */
  readonly file?: string | undefined;
  /** Returns milliseconds since 1970; the computer's clock by default. */
  readonly now?: (() => number) | undefined;
  /** Whether to serve the sandbox over HTTP as well; true by default. `fetch` works either way. */
  readonly serve?: boolean | undefined;
  /** The port to serve on; a free one by default. */
  readonly port?: number | undefined;
  /**
   * Serves only some operations. `documented`: all documented operations. `legacy`: the documented operations without
   * those that replace deprecated ones. `replacements`: the documented operations that are not deprecated, and every
   * operation that replaces a deprecated one, even if it is not documented. By default, all of these are served, and
   * also the other operations that the service names but does not document.
   */
  readonly only?: OperationSetName | undefined;
  /**
   * The state that the sandbox starts with and that `reset` restores: an object, or text in YAML or JSON. It can
   * contain rentals, volumes, keys, the user, other accounts, a balance, a clock, a scenario, situations, boot rules
   * and faults. It replaces the state in `file`.
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

/** The whole service, running locally. Once closed, every method but `close` throws `SandboxClosed`. */
export interface Sandbox extends AsyncDisposable {
  /** Handles a request in this process. The host is ignored, and a path alone is enough. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /**
   * Where the sandbox is served, such as `http://127.0.0.1:49152`. If it is not served, a placeholder for its `fetch`:
   * no server listens there.
   */
  readonly url: string;
  /** The built-in API keys: one with full access, one that is read-only. */
  readonly keys: { readonly full: string; readonly readOnly: string };
  /**
   * Starts over from the seed and the scenario or, without them, from one user, the built-in keys and the clock given
   * by `now`. Removes everything else: rentals, faults, engines, boot rules, situations, the chat script and the
   * request log, even if they were in `file` from the beginning.
   */
  reset(): void;
  /**
   * Replaces the whole state with a seed. `reset` still starts over from the options of `createSandbox`.
   * @throws ControlRefused when the seed is invalid; the state is then unchanged
   */
  seed(seed: Seed | string): Promise<void>;
  /**
   * Returns the whole state as one JSON document, without the request log and without the names of the variables that
   * hold the keys of engines.
   */
  snapshot(): object;
  /**
   * Replaces the whole state with a snapshot, or its text.
   * @throws ControlRefused when the snapshot cannot be used; the state is then unchanged
   */
  restore(snapshot: object | string): void;
  /** Returns what the sandbox contains. */
  status(): SandboxStatus;
  /** Returns the time of the sandbox, and whether its clock is frozen. */
  clock(): ClockState;
  /** Stops the clock, until `resume`. */
  freeze(): ClockState;
  /** Lets a frozen clock run again. */
  resume(): ClockState;
  /**
   * Moves the clock forward to a time: a Date, milliseconds since 1970 or a text in ISO 8601.
   * @throws RangeError when the time is invalid
   * @throws ControlRefused when the time is before the clock's time, or after the year 9999
   */
  set(time: string | number | Date): ClockState;
  /**
   * Advances the clock by a number of milliseconds, or by a text such as `30d`. In this time, rentals boot, accrue
   * costs and end with their terms.
   * @throws RangeError when the duration is invalid
   * @throws ControlRefused when the clock would pass the year 9999
   */
  advance(span: Span): ClockState;
  /**
   * Makes calls to an operation fail, or delays their responses.
   * @throws ControlRefused when the fault is invalid
   * @throws RangeError when a duration is invalid
   */
  fault(fault: Fault): FaultStatus;
  faults(): readonly FaultStatus[];
  /** Removes a fault, or all faults, and returns how many were removed. */
  clearFaults(id?: number): number;
  /**
   * Generates chats, pictures or speech with your own server, until `clearEngines` is called or the state is replaced.
   * The server is not contacted before it is used.
   * @throws ControlRefused when the engine is invalid
   */
  engine(engine: Engine): void;
  engines(): Promise<readonly EngineStatus[]>;
  /**
   * Removes the engine of a kind, or all engines, so that the sandbox itself generates again. Returns how many were
   * removed.
   */
  clearEngines(kind?: Engine["kind"]): number;
  /**
   * Makes new rentals boot slowly, fail to boot, or never boot.
   * @throws ControlRefused when the rule is invalid
   * @throws RangeError when a duration is invalid
   */
  boot(boot: Boot): BootStatus;
  boots(): readonly BootStatus[];
  /** Removes a boot rule, or all boot rules, and returns how many were removed. */
  clearBoots(id?: number): number;
  /** Returns the requests that match, oldest first: the most recent 50, or as many as `limit` says. */
  requests(filter?: RequestFilter & { readonly limit?: number | undefined }): readonly LoggedRequest[];
  /** Returns how many requests match. */
  countRequests(filter?: RequestFilter): number;
  /**
   * Removes the matching requests from the log, or all requests if there is no filter. Returns how many were removed.
   */
  clearRequests(filter?: RequestFilter): number;
  /**
   * Checks that the number of matching requests is `count`, or is between `atLeast` and `atMost`. By default, at least
   * 1 must match.
   * @throws ExpectationFailed with the closest requests or, if too many match, the latest of those that match
   * @throws ControlRefused when the expectation is invalid
   */
  expectRequests(expectation: RequestExpectation): void;
  /**
   * Adds a situation of a real cloud, such as sold-out GPUs, an interrupted rental or a rate limit.
   * @throws ControlRefused when the situation is invalid
   * @throws RangeError when a duration is invalid
   */
  situation(situation: Situation): SituationStatus;
  situations(): readonly SituationStatus[];
  /** Removes a situation, or all situations, and returns how many were removed. */
  clearSituations(id?: number): number;
  /**
   * Replaces the situations, boot rules and faults with those of a scenario; `none` removes them.
   * @throws ControlRefused when there is no such scenario
   */
  scenario(name: ScenarioName): void;
  /**
   * The script of replies for the chat. Without a script, the chat echoes the last message. `reset` and `seed` remove
   * the script.
   */
  readonly chatScript: {
    /**
     * Replaces the script. Each request gets the first matching reply that is not used up. The request may name any
     * model. A request that matches no reply gets 400.
     * @throws ControlRefused naming each invalid field, such as `replies.0.text`
     */
    set(replies: readonly ChatReply[]): void;
    show(): readonly ChatReplyStatus[];
    clear(): void;
  };
  /** Stops serving, ends pending requests, and discards the state if it is in memory. */
  close(): Promise<void>;
}

/**
 * Opens a sandbox: the whole service, running locally.
 * @throws TypeError when an option is invalid
 * @throws ControlRefused when the seed is invalid
 * @throws MissingDependency when an optional package is missing
 * @throws StoreError when the file cannot be used
 * @throws CannotListen when the port cannot be used, for example because it is in use
 * @example
 * const sandbox = await createSandbox();
 * const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.keys.full });
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  checkOptions("createSandbox", options, rules);
  const { file = ":memory:", now = Date.now, serve: served = true, port = 0, only, seed, scenario } = options;
  const sandbox = await createService({ file, now: checkedClock(now), environment, only });
  const closing = (error: unknown): never => {
    sandbox.close();
    throw error;
  };
  await sandbox
    .prepareStart({ seed, scenario })
    .then((start) => start())
    .catch(closing);
  const server = served ? await serve(sandbox, { host: "127.0.0.1", port }).catch(closing) : undefined;
  const url = server?.url ?? unserved;
  const closed = new AbortController();
  const close = async (): Promise<void> => {
    closed.abort(connectionLost());
    await server?.close();
    sandbox.close();
  };
  /** The sandbox, if it is not closed. `used` names the member that was called. @throws SandboxClosed */
  const open = (used: string): Service => {
    if (closed.signal.aborted) throw new SandboxClosed(used);
    return sandbox;
  };
  return {
    fetch: async (input, init) => fetchFrom(open("fetch"), { url, closed: closed.signal }, input, init),
    url,
    keys: sandbox.keys,
    reset: () => open("reset").reset(),
    status: () => open("status").status(),
    clock: () => open("clock").clock.show(),
    freeze: () => open("freeze").clock.freeze(),
    resume: () => open("resume").clock.resume(),
    advance: (span) => advance(open("advance"), span),
    set: (time) => setClock(open("set"), time),
    fault: (fault) => addFault(open("fault"), fault),
    faults: () => open("faults").faults.list(),
    clearFaults: (id) => open("clearFaults").faults.clear(id),
    engine: (engine) => setEngine(open("engine"), engine),
    engines: () => open("engines").engines.list(),
    clearEngines: (kind) => open("clearEngines").engines.clear(kind),
    boot: (boot) => addBoot(open("boot"), boot),
    boots: () => open("boots").boots.list(),
    clearBoots: (id) => open("clearBoots").boots.clear(id),
    requests: (filter) => open("requests").requests.list(filter),
    countRequests: (filter) => open("countRequests").requests.count(filter),
    clearRequests: (filter) => open("clearRequests").requests.clear(filter),
    expectRequests: (expectation) => expectRequests(open("expectRequests"), expectation),
    situation: (situation) => addSituation(open("situation"), situation),
    situations: () => open("situations").situations.list(),
    clearSituations: (id) => open("clearSituations").situations.clear(id),
    scenario: (name) => void open("scenario").scenario(name),
    chatScript: {
      set: (replies) => void open("chatScript.set").chatScript.set(replies),
      show: () =>
        open("chatScript.show")
          .chatScript.show()
          .map(({ index, reply, times, used }) => ({ index, reply, times, used })),
      clear: () => void open("chatScript.clear").chatScript.clear(),
    },
    seed: async (given) => {
      const fill = await open("seed").prepareSeed(given);
      open("seed");
      fill();
    },
    snapshot: () => open("snapshot").snapshot(),
    restore: (given) => open("restore").restore(typeof given === "string" ? given : JSON.stringify(given)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const environment = (name: string): string | undefined => globalThis.process.env[name];

/** The URL of a sandbox that is not served; its host name never resolves to another machine. */
const unserved = "http://sandbox.localhost";

/** A sandbox was used after it was closed. */
export class SandboxClosed extends Error {
  override readonly name = "SandboxClosed";

  constructor(used: string) {
    super(`${used} was used after the sandbox was closed; open another with createSandbox`);
  }
}

/**
 * Fetches from a sandbox. A path alone is resolved against `url`. An aborted signal ends the wait for the response or
 * for its body. If the connection breaks, or the sandbox is closed, rejects with a `TypeError`, as every `fetch` does.
 */
async function fetchFrom(
  { fetch }: Service,
  { url, closed }: { readonly url: string; readonly closed: AbortSignal },
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<Response> {
  const isUrl = typeof input === "object" && input && ("href" in input || "url" in input);
  if (typeof input !== "string" && !isUrl) {
    throw new TypeError(`fetch requires a URL, a path or a Request, not ${shown(input)}`);
  }
  const given = new Request(input instanceof Request ? input : new URL(input, url), init);
  given.signal.throwIfAborted();
  // `given` and its signal are kept until the body has arrived: Node.js holds the signal of a Request only weakly.
  const kept = { given, signal: AbortSignal.any([given.signal, closed]) };
  const request = new Request(given, { signal: kept.signal });
  const response = await orAborted(fetch(request).catch(broken), kept.signal);
  if (response.body === null) return response;
  return new Response(arriving(response.body, kept), response);
}

/** The same body. After an abort, a broken connection or `close`, it fails with the same error as `fetchFrom`. */
function arriving(
  body: ReadableStream<Uint8Array>,
  kept: { readonly given: Request; readonly signal: AbortSignal },
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  return new ReadableStream(
    {
      pull: async (controller) => {
        // Like a socket, keeps the process running until the next chunk arrives.
        const alive = setInterval(() => {}, 60_000);
        try {
          const { done, value } = await orAborted(reader.read().catch(broken), kept.signal);
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          cancel();
          throw error;
        } finally {
          clearInterval(alive);
        }
      },
      cancel,
    },
    { highWaterMark: 0 },
  );
}

/** The error of a request whose response had not arrived completely when the sandbox was closed. */
const connectionLost = (): TypeError =>
  new TypeError("fetch failed", {
    cause: Object.assign(new Error("the sandbox was closed"), { code: "ECONNRESET" }),
  });

function broken(error: unknown): never {
  const reset = error instanceof Error && "code" in error && error.code === "ECONNRESET";
  throw reset ? new TypeError("fetch failed", { cause: error }) : error;
}
