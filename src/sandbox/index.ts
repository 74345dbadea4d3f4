import type { EnvironmentName } from "../contract/sandbox.ts";
import { adminPath, createAdmin } from "./admin/app.ts";
import { createApp } from "./app.ts";
import { type Clock, machineClock } from "./clock.ts";
import { sandboxClock } from "./control/clock.ts";
import { controlsOf, type SandboxControls } from "./control/controls.ts";
import { type Environment, environmentOf } from "./environment.ts";
import { isKey, keyPrefix, keys } from "./keys.ts";
import { type SandboxLimit, sandboxLimits } from "./limits.ts";
import { openStore } from "./store.ts";

export { CannotListen } from "./cannot-listen.ts";
export type { SandboxLimit } from "./limits.ts";
export { MissingDependency } from "./missing-dependency.ts";
export { serve } from "./serve.ts";
export { StoreError } from "./store-error.ts";

interface SandboxOptions {
  /** The file that keeps the state, or ":memory:" for one that is gone when closed. Processes may share a file. */
  readonly file: string;
  /** Milliseconds since 1970; the machine's clock when left out. */
  readonly now?: Clock;
  /** The one environment whose operations it has; all that is documented or assumed when left out. */
  readonly only?: EnvironmentName | undefined;
}

/** Answers requests: those of the service, and orders about the sandbox. */
export interface Answering {
  /**
   * Answers a request as the service would; the host of its URL does not matter.
   * Rejects with an error of code `ECONNRESET` when a fault breaks the connection.
   */
  fetch(request: Request): Promise<Response>;
  /**
   * Answers a request under `/_sandbox/` that came from an address of this machine; nothing when the request is for the
   * service. `peer` is the address that it came from.
   */
  administer(request: Request, peer: string | undefined): Promise<Response> | undefined;
}

/** The whole service, on this machine. */
export interface Sandbox extends SandboxControls, Answering {
  /** The same state, with the operations of an environment; with those of this sandbox when left out. */
  having(only: string | undefined): Answering;
  readonly keys: { readonly full: string; readonly readOnly: string };
  /** How the value of every key that it gives out begins. */
  readonly keyPrefix: string;
  /** What the service leaves open and the sandbox decided. */
  readonly limits: readonly SandboxLimit[];
  /** Whether a secret is one of the sandbox's keys, be it revoked. */
  hasKey(secret: string): boolean;
  close(): void;
}

/**
 * Opens a sandbox.
 * @throws MissingDependency without the package that holds SQLite
 * @throws StoreError when the file cannot be used
 * @throws TypeError when there is no such environment
 * @example
 * const sandbox = await createSandbox({ file: ":memory:" });
 * const authorization = `Bearer ${sandbox.keys.full}`;
 * await sandbox.fetch(new Request("http://sandbox/v2/on-demand/storage-volumes", { headers: { authorization } }));
 */
export async function createSandbox({ file, now = machineClock, only }: SandboxOptions): Promise<Sandbox> {
  const environment = environmentOf(only);
  const machine = () => Math.floor(now());
  const store = await openStore(file, machine());
  const controls = controlsOf(store, machine, file);
  const admin = createAdmin(controls);
  const answering = (served: Environment): Answering => {
    const app = createApp(store, sandboxClock(store, machine), served);
    return {
      fetch: async (request) => app.fetch(request),
      administer: (request, peer) =>
        new URL(request.url).pathname.startsWith(`${adminPath}/`)
          ? Promise.resolve(admin.fetch(request, { peer }))
          : undefined,
    };
  };
  const own = answering(environment);
  return {
    ...controls,
    ...own,
    having: (name) => (name === undefined ? own : answering(environmentOf(name))),
    keys,
    keyPrefix,
    limits: sandboxLimits,
    hasKey: (secret) => isKey(store, secret),
    close: () => store.close(),
  };
}
