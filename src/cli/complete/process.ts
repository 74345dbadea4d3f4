import { writeSync } from "node:fs";
import { Unavailable } from "../../core/errors.ts";
import { exitAfter, startInBackground } from "../../system/programs.ts";
import type { System } from "../../system/types.ts";
import type { Services } from "../start/services.ts";
import { complete } from "./complete.ts";
import { refreshCache, refreshTimeout } from "./refresh-cache.ts";

/**
 * At the latest this many milliseconds after its start, the process prints the values that it has. The process must end
 * within 150 ms of its start.
 */
const printAt = 120;

/** The last argument of a background process that only refreshes the cache. */
const refreshMark = "--refresh-cache";

/** Runs `__complete` for a shell: prints no errors, does not wait for a slow service, and always exits 0. */
export async function runCompletion(
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
 * Refreshes the cache in a separate process, so that a slow service or slow loading cannot delay the shell for long.
 * Values that arrive too late for this Tab are cached for the next one.
 */
const startRefresh = (argv: readonly string[]): Promise<void> =>
  startInBackground(["__complete", ...argv, refreshMark], printAt);

/** Completion never runs the user's programs, such as `apiKeyCommand`. */
const rejected = () => Promise.reject(new Unavailable("completion does not run programs", ""));
const programs: System["programs"] = {
  run: rejected,
  runQuietly: rejected,
  shell: rejected,
  output: rejected,
  stream: rejected,
  capture: rejected,
  feed: rejected,
  start: rejected,
  which: async () => undefined,
};

function print(text: string): void {
  try {
    if (text !== "") writeSync(1, text);
  } catch {
    // The shell has exited, which is not a failure.
  }
}
