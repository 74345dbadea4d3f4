import { writeSync } from "node:fs";
import { Unavailable } from "../../core/errors.ts";
import { exitAfter, startInBackground } from "../../system/programs.ts";
import type { System } from "../../system/types.ts";
import type { Services } from "../start/services.ts";
import { complete } from "./complete.ts";
import { refill, refillLimit } from "./refill.ts";

/** Milliseconds after the start of this process at which it answers with what it has: a shell waits for 150 in all. */
const answerAt = 120;

/** The last word of a process that nobody waits for, which asks the service and answers nobody. */
const inBackground = "--refill";

/** Completes for a shell, silently, and without ever keeping it waiting. Always done well. */
export async function completeHere(
  argv: readonly string[],
  system: System,
  services: Services,
): Promise<number> {
  if (argv.at(-1) === inBackground) await refillHere(argv.slice(0, -1), system, services);
  else print(await complete(argv, { ...system, refill: () => startRefill(argv) }));
  return 0;
}

/**
 * Asks in a process of its own, so that neither a slow service nor slow loading keeps the shell waiting, and what comes
 * too late for this Tab is there for the next one.
 */
const startRefill = (argv: readonly string[]): Promise<void> =>
  startInBackground(["__complete", ...argv, inBackground], answerAt);

/** No program of the user's is run for the sake of a completion, such as one that tells a key. */
const programs: System["programs"] = {
  run: () => Promise.reject(new Unavailable("completing runs no programs", "")),
  output: () => Promise.reject(new Unavailable("completing runs no programs", "")),
  which: async () => undefined,
};

async function refillHere(argv: readonly string[], system: System, services: Services): Promise<void> {
  exitAfter(refillLimit);
  await refill(argv, { ...system, programs }, services).catch(() => {});
}

/** A shell that left is no failure. */
function print(text: string): void {
  try {
    if (text !== "") writeSync(1, text);
  } catch {
    // There is nobody to tell.
  }
}
