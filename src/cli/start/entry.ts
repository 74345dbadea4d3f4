import { argv, env, printed, stdoutSize } from "../../system/launch.ts";
import { neededNode, version } from "./generated/version.ts";

/**
 * Runs the command line of this process and returns its exit code. Version and help load little else. `cache` names a
 * folder of the user for compiled code, where Node.js does not cache it itself; it may throw.
 */
export async function start(cache?: () => string): Promise<number> {
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
    return printed(`${version}\n`);
  }
  const help = await helpOf(argv);
  if (help !== undefined) return printed(help);
  if (cache && !env.NODE_DISABLE_COMPILE_CACHE) await cacheCode(cache);
  const completes = argv[0] === "__complete";
  const [{ nodeSystem }, { createServices }, run] = await Promise.all([
    import("../../system/node.ts"),
    import("./services.ts"),
    completes
      ? import("../complete/process.ts").then(({ completeHere }) => completeHere)
      : import("./main.ts").then(({ main }) => main),
  ]);
  const system = await nodeSystem();
  const services = createServices({ version, neededNode }, system.files);
  return run(completes ? argv.slice(1) : argv, system, services);
}

/** Failing to cache only costs time. */
async function cacheCode(cache: () => string): Promise<void> {
  try {
    const folder = cache();
    (await import("../../system/code-cache.ts")).cacheCode(import.meta.dirname, folder);
  } catch {}
}

/** The help that a simple command line asks for; anything else is left to the parser. */
async function helpOf(line: readonly string[]): Promise<string | undefined> {
  const last = line.at(-1);
  const asked = line[0] === "help";
  if (!asked && last !== undefined && last !== "--help" && last !== "-h") return undefined;
  const [{ helpFor }, { helpLook }, { helpOrTopic }] = await Promise.all([
    import("../help/help.ts"),
    import("../help/layout.ts"),
    import("../help/topics.ts"),
  ]);
  const look = await helpLook(stdoutSize(), env);
  return asked ? helpOrTopic(line.slice(1), look) : helpFor(line.slice(0, -1), look);
}
