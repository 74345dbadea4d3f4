import { existsSync } from "node:fs";
import { dirname, join, parse, resolve } from "node:path";
import { type OperationSetName, servedControls } from "../core/sandbox.ts";
import { once } from "../core/tasks/once.ts";
import { createApp } from "./app.ts";
import { type Clock, machineClock, sandboxClock } from "./clock.ts";
import type { Access } from "./control/access.ts";
import { controlsOf, type SandboxControls } from "./control/controls.ts";
import { type PlainResponse, type Sent, sentRequest } from "./http/exchange.ts";
import { plainRequest, webResponse } from "./http/web.ts";
import { isKey, keyPrefix, keys } from "./keys.ts";
import type { Machines } from "./machines/machines.ts";
import { type OperationSet, operationSetOf } from "./operation-set.ts";
import { RecentMedia } from "./page/recent-media.ts";
import type { FetchOptions, RequestHandler } from "./serve.ts";
import { openStore } from "./store/store.ts";

export { MissingDependency } from "./packages.ts";
export { CannotListen, serve } from "./serve.ts";
export { StoreError } from "./store/store.ts";

interface SandboxOptions {
  /** The file that holds the state, or ":memory:". Several processes can share the file. */
  readonly file: string;
  /** Milliseconds since 1970; the computer's clock by default. */
  readonly now?: Clock;
  /** Returns the value of an environment variable, such as the key of an engine. By default, no variable is set. */
  readonly environment?: ((name: string) => string | undefined) | undefined;
  /** The folders in which to look for sshd, as in PATH. */
  readonly searchPath?: string | undefined;
  /** Serves only this operation set. By default, serves every operation. */
  readonly only?: OperationSetName | undefined;
}

/** What a sandbox starts with. */
export interface SandboxStart {
  /** A seed, or its text in YAML or JSON. It replaces the state. */
  readonly seed?: string | object | undefined;
  /** The name of a scenario. */
  readonly scenario?: string | undefined;
}

/** A sandbox: the whole service, running locally. */
export interface Sandbox extends SandboxControls, RequestHandler {
  /** Does what `fetch` does, without the web's `Request` and `Response`. */
  send(url: string, request: Sent): Promise<PlainResponse>;
  /**
   * Returns a handler that uses the same state but serves another operation set. Without a name, the handler serves
   * this sandbox's own set.
   */
  withOperationSet(only: string | undefined): RequestHandler;
  readonly keys: { readonly full: string; readonly readOnly: string };
  /** The prefix of every key that the sandbox issues. */
  readonly keyPrefix: string;
  /**
   * Checks a seed, and returns a function that replaces the state with the seed, if there is one, and then sets the
   * scenario. Once the returned function has been called, `reset` does the same after it has cleared the state.
   * @throws ControlRefused naming what is invalid in the seed
   */
  prepareStart(start: SandboxStart): Promise<() => void>;
  /** Starts machines for the running rentals. @throws Unavailable when sshd is not installed or cannot be used */
  startMachines(...options: Parameters<Machines["start"]>): Promise<Machines>;
  /** Whether a secret is one of the sandbox's keys, revoked or not. */
  hasKey(secret: string): boolean;
  close(): void;
}

/**
 * Opens a sandbox.
 * @throws MissingDependency when the SQLite package is missing
 * @throws StoreError when the file cannot be used
 * @throws TypeError when the operation set is unknown
 * @example
 * const sandbox = await createSandbox({ file: ":memory:" });
 * const authorization = `Bearer ${sandbox.keys.full}`;
 * await sandbox.fetch(new Request("http://sandbox/v2/on-demand/storage-volumes", { headers: { authorization } }));
 */
export async function createSandbox({
  file,
  now = machineClock,
  environment = () => undefined,
  searchPath,
  only,
}: SandboxOptions): Promise<Sandbox> {
  const operationSet = operationSetOf(only);
  const machine = () => Math.floor(now());
  const store = await openStore(file, machine());
  const clock = sandboxClock(store, machine);
  const recent = new RecentMedia();
  const stored = controlsOf(store, { machine, file, environment });
  let start = () => {};
  const controls: SandboxControls = {
    ...stored,
    reset: () => {
      stored.reset();
      recent.clear();
      start();
    },
  };
  const openAdmin = once(async () => (await import("./control/admin.ts")).createAdmin(controls, recent));
  const folder = machinesFolder(file);
  let machines: Machines | undefined;
  const openMachines = async (): Promise<Machines> => {
    const { createMachines } = await import("./machines/machines.ts");
    machines ??= createMachines({ store, clock, folder, path: () => searchPath });
    return machines;
  };
  // If the folder exists, an earlier run started machines, and the home folders of ended rentals have to be removed.
  if (folder !== undefined && existsSync(folder)) await openMachines();
  /**
   * Updates the machines before and after `respond`: before, so that each running rental has its machines, and after,
   * so that the machines of ended rentals are gone.
   */
  const withMachines = async <Result>(respond: () => Result | Promise<Result>): Promise<Result> => {
    if (machines === undefined) return respond();
    await machines.update();
    try {
      return await respond();
    } finally {
      await machines.update();
    }
  };
  const handlerFor = (served: OperationSet) => {
    const addressesOf = (rentalId: number) => machines?.addressesOf(rentalId);
    const app = createApp({ store, environment, addressesOf, operationSet: served }, clock);
    const openPage = async () => {
      const { createPage } = await import("./page/app.tsx");
      return createPage({ controls, store, clock, operationSet: served, recent });
    };
    let page: ReturnType<typeof openPage> | undefined;
    return {
      send: (url: string, request: Sent) => withMachines(() => app(sentRequest(url, request))),
      fetch: (request: Request, { keepsMedia = false, peer }: FetchOptions = {}) =>
        withMachines(async () =>
          webResponse(await app(plainRequest(request, peer), keepsMedia ? recent : undefined)),
        ),
      handleControl: (request: Request, access: Access) => {
        const { pathname } = new URL(request.url);
        if (pathname.startsWith(`${servedControls.path}/`))
          return withMachines(async () => (await openAdmin()).fetch(request, access));
        if (!isPageRequest(request, pathname)) return undefined;
        page ??= openPage();
        return page.then((opened) => opened.fetch(request, access));
      },
    } satisfies RequestHandler & Pick<Sandbox, "send">;
  };
  const base = handlerFor(operationSet);
  return {
    ...controls,
    ...base,
    withOperationSet: (name) => (name === undefined ? base : handlerFor(operationSetOf(name))),
    keys,
    keyPrefix,
    hasKey: (secret) => isKey(store, secret),
    prepareStart: async ({ seed, scenario }) => {
      const fill = seed === undefined ? undefined : await stored.prepareSeed(seed);
      return () => {
        start = () => {
          fill?.();
          if (scenario !== undefined) stored.scenario(scenario);
        };
        start();
      };
    },
    startMachines: async (options) => {
      const opened = await openMachines();
      await opened.start(options);
      return opened;
    },
    close: () => {
      machines?.close();
      store.close();
    },
  };
}

/** Whether a browser requests a page. For other programs, these paths are unknown, as they are on the service. */
const isPageRequest = ({ method, headers }: Request, path: string): boolean =>
  method === "GET" &&
  Object.values<string>(servedControls.pages).includes(path) &&
  (headers.get("accept") ?? "").includes("text/html");

/** The folder for the machines of a state file, such as `sandbox-machines` for `sandbox.sqlite`. */
const machinesFolder = (file: string): string | undefined =>
  file === ":memory:" ? undefined : join(dirname(resolve(file)), `${parse(file).name}-machines`);
