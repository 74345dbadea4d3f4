import { argv, env, stdoutSize, writeStdout } from "../../system/launch.ts";
import { neededNode, version } from "./generated/version.ts";

/**
 * Runs the command line of this process and returns its exit code. `--version` and help load only what they need.
 * `cacheFolder` returns the user's folder for compiled code, or throws. It is set only on Node.js versions without a
 * compile cache.
 */
export async function start(cacheFolder?: () => string): Promise<number> {
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
    return writeStdout(`${version}\n`);
  }
  const help = await helpOf(argv);
  if (help !== undefined) return writeStdout(help);
  if (cacheFolder && !env.NODE_DISABLE_COMPILE_CACHE) await cacheCode(cacheFolder);
  const isCompletion = argv[0] === "__complete";
  const [{ nodeSystem }, { createServices }, run] = await Promise.all([
    import("../../system/node.ts"),
    import("./services.ts"),
    isCompletion
      ? import("../complete/process.ts").then(({ runCompletion }) => runCompletion)
      : import("./main.ts").then(({ main }) => main),
  ]);
  const system = await nodeSystem();
  const services = createServices({ version, neededNode }, system);
  return run(isCompletion ? argv.slice(1) : argv, system, services);
}

/** Ignores failures: without the cache, gpuctl only starts more slowly. */
async function cacheCode(cacheFolder: () => string): Promise<void> {
  try {
    const folder = cacheFolder();
    (await import("../../system/code-cache.ts")).cacheCode(import.meta.dirname, folder);
  } catch {}
}

/**
 * The help for a simple command line, such as `rentals --help`; undefined for all other lines, which the parser
 * handles.
 */
async function helpOf(line: readonly string[]): Promise<string | undefined> {
  const last = line.at(-1);
  const isHelpCommand = line[0] === "help";
  if (!isHelpCommand && last !== undefined && last !== "--help" && last !== "-h") return undefined;
  const [{ helpFor, overview }, { helpStyle }, { helpOrTopic }] = await Promise.all([
    import("../help/help.ts"),
    import("../help/layout.ts"),
    import("../help/topics.ts"),
  ]);
  const style = await helpStyle(stdoutSize(), env);
  if (last === undefined) return overview(style);
  return isHelpCommand ? helpOrTopic(line.slice(1), style) : helpFor(line.slice(0, -1), style);
}
