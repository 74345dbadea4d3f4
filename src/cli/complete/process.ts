import { writeSync } from "node:fs";
import { Unavailable } from "../../core/errors.ts";
import { exitAfter, startInBackground } from "../../system/programs.ts";
import type { System } from "../../system/types.ts";
import type { Services } from "../start/services.ts";
import { complete } from "./complete.ts";
import { refreshCache, refreshTimeout } from "./refresh-cache.ts";

/** Milliseconds after process start at which it prints what it has: a shell waits 150 ms in all. */
const replyAt = 120;

/** Marks a background process that only refreshes the cache. */
const refreshMark = "--refill";

/** Runs `__complete` for a shell: prints no errors, never keeps the shell waiting, and always exits 0. */
export async function completeHere(
  argv: readonly string[],
  system: System,
  services: Services,
): Promise<number> {
  if (argv.at(-1) === refreshMark) {
    exitAfter(refreshTimeout);
    await refreshCache(argv.slice(0, -1), { ...system, programs }, services).catch(() => {});
  } else {
    print(await complete(argv, { ...system, refreshCache: () => startRefresh(argv) }));
  }
  return 0;
}

/**
 * Refreshes the cache in a process of its own, so that a slow service or slow loading never keeps the shell waiting. What
 * comes too late for this Tab is there for the next one.
 */
const startRefresh = (argv: readonly string[]): Promise<void> =>
  startInBackground(["__complete", ...argv, refreshMark], replyAt);

/** Completing runs no program of the user's, such as one that prints the key. */
const refused = () => Promise.reject(new Unavailable("completing runs no programs", ""));
const programs: System["programs"] = { run: refused, output: refused, which: async () => undefined };

function print(text: string): void {
  try {
    if (text !== "") writeSync(1, text);
  } catch {
    // The shell has exited, which is not a failure.
  }
}
