import { createApp } from "./app.ts";
import { type Clock, stamp } from "./clock.ts";
import { keys } from "./keys.ts";
import { type SandboxLimit, sandboxLimits } from "./limits.ts";
import { openStore } from "./store.ts";
import { type Counts, countAll } from "./tables/counts.ts";

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
}

export interface SandboxStatus extends Counts {
  readonly file: string;
  /** The sandbox's time, ISO 8601. */
  readonly now: string;
}

/** The whole service, on this machine. */
export interface Sandbox {
  /** Answers a request as the service would; the host of its URL does not matter. */
  fetch(request: Request): Promise<Response>;
  readonly keys: { readonly full: string; readonly readOnly: string };
  /** What the service leaves open and the sandbox decided. */
  readonly limits: readonly SandboxLimit[];
  status(): SandboxStatus;
  /** Restores the initial state: one user, the keys, nothing rented. */
  reset(): void;
  close(): void;
}

/**
 * Opens a sandbox.
 * @throws MissingDependency without the package that holds SQLite
 * @throws StoreError when the file cannot be used
 * @example
 * const sandbox = await createSandbox({ file: ":memory:" });
 * const authorization = `Bearer ${sandbox.keys.full}`;
 * await sandbox.fetch(new Request("http://sandbox/v2/on-demand/storage-volumes", { headers: { authorization } }));
 */
export async function createSandbox({ file, now = Date.now }: SandboxOptions): Promise<Sandbox> {
  const clock = () => Math.floor(now());
  const store = await openStore(file, clock());
  const app = createApp(store, clock);
  return {
    fetch: async (request) => app.fetch(request),
    keys,
    limits: sandboxLimits,
    status: () => ({ file, now: stamp(clock()), ...countAll(store, clock()) }),
    reset: () => store.reset(clock()),
    close: () => store.close(),
  };
}
