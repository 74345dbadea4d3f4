import { spawn } from "node:child_process";
import { writeSync } from "node:fs";
import process from "node:process";
import { Unavailable } from "../context/errors.ts";
import type { World } from "../context/world.ts";
import { complete } from "./complete.ts";
import { refill, refillLimit } from "./complete-refill.ts";

/** Milliseconds after the start of this process at which it answers with what it has: a shell waits for 150 in all. */
const answerAt = 120;

/** The last word of a process that nobody waits for, which asks the service and answers nobody. */
const inBackground = "--refill";

/** Completes for a shell, silently, and without ever keeping it waiting. Always done well. */
export async function completeHere(argv: readonly string[], world: World): Promise<number> {
  if (argv.at(-1) === inBackground) await refillHere(argv.slice(0, -1), world);
  else print(await complete(argv, { ...world, refill: () => startRefill(argv) }));
  return 0;
}

/**
 * Asks in a process of its own, so that neither a slow service nor slow loading keeps the shell waiting, and what comes
 * too late for this Tab is there for the next one.
 */
async function startRefill(argv: readonly string[]): Promise<void> {
  const [, program = ""] = process.argv;
  const child = spawn(process.execPath, [program, "__complete", ...argv, inBackground], {
    detached: true,
    stdio: "ignore",
    windowsHide: true,
  });
  child.unref();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, answerAt - performance.now()));
    const over = () => {
      clearTimeout(timer);
      resolve();
    };
    child.once("exit", over).once("error", over);
  });
}

/** No program of the user's is run for the sake of a completion, such as one that tells a key. */
const programs: World["programs"] = {
  run: () => Promise.reject(new Unavailable("completing runs no programs", "")),
  output: () => Promise.reject(new Unavailable("completing runs no programs", "")),
};

async function refillHere(argv: readonly string[], world: World): Promise<void> {
  setTimeout(() => process.exit(), refillLimit).unref();
  await refill(argv, { ...world, programs }).catch(() => {});
}

/** A shell that left is no failure. */
function print(text: string): void {
  try {
    if (text !== "") writeSync(1, text);
  } catch {
    // There is nobody to tell.
  }
}
