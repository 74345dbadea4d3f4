import { UsageError } from "../../commands/errors.ts";

/** Milliseconds after which the lock of a process that shows no sign of life is taken over. */
const lifeless = 5_000;

/** Milliseconds between two tries to get the lock, at least and at most. */
const pause = { minTimeout: 25, maxTimeout: 100 };

interface Patience {
  /** Milliseconds, more than it takes to see that a lock is left over. */
  readonly patience?: number;
}

/**
 * Does some work while no other process does any under the same path. Throws `UsageError` when the others do not come
 * to an end; the lock of one that was killed is taken over, and nothing of it stays.
 */
export async function locked<Value>(
  path: string,
  work: () => Promise<Value>,
  { patience = 2 * lifeless }: Patience = {},
): Promise<Value> {
  const { lock } = await import("proper-lockfile");
  const release = await lock(path, {
    realpath: false,
    stale: lifeless,
    retries: { ...pause, factor: 1, randomize: true, retries: Math.ceil(patience / pause.maxTimeout) * 2 },
    // What was written under it was put in place in one step, so a lock that was lost has harmed nothing.
    onCompromised: () => {},
  }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "ELOCKED") throw cause;
    throw new UsageError(`another process is changing ${path} and does not come to an end`, {
      hint: `Nothing was changed. If no gpuctl runs, delete ${path}.lock.`,
    });
  });
  try {
    return await work();
  } finally {
    await release().catch(() => undefined);
  }
}
