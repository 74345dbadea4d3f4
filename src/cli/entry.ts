import { fstatSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { SandboxControl, Shell } from "../context/context.ts";
import type { World } from "../context/world.ts";
import { neededNode, version } from "./generated/version.ts";

/**
 * Runs the command line of this process and gives its exit code. Version and help load little else. `cache` is a folder
 * of the user's own for compiled code, where Node.js keeps none itself; it may throw.
 */
export async function start(cache?: () => string): Promise<number> {
  const argv = process.argv.slice(2);
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
    return printed(`${version}\n`);
  }
  const help = await helpOf(argv);
  if (help !== undefined) return printed(help);
  if (cache && !process.env.NODE_DISABLE_COMPILE_CACHE) await keepCode(cache);
  if (argv[0] === "__complete") {
    const [{ completeHere }, world] = await Promise.all([import("./complete-process.ts"), realWorld()]);
    return completeHere(argv.slice(1), world);
  }
  const [{ main }, world] = await Promise.all([import("./main.ts"), realWorld()]);
  return main(argv, world);
}

/** Without it everything works as well, and starts more slowly. */
async function keepCode(cache: () => string): Promise<void> {
  try {
    const folder = cache();
    await (await import("./code-cache.ts")).keepCode(import.meta.dirname, folder);
  } catch {}
}

async function realWorld(): Promise<World> {
  const { nodeWorld } = await import("../context/node.ts");
  return nodeWorld({
    version,
    neededNode,
    connect,
    knock,
    proxyFor,
    openSandbox,
    sandboxFacts,
    sandboxHealth,
    completionScript,
    topic,
  });
}

/** The help that a plain command line asks for; one with more in it is for the parser to read. */
async function helpOf(argv: readonly string[]): Promise<string | undefined> {
  const last = argv.at(-1);
  const asked = argv[0] === "help" ? argv.slice(1) : argv.slice(0, -1);
  if (argv[0] !== "help" && last !== undefined && last !== "--help" && last !== "-h") return undefined;
  const [{ helpFor }, { helpLook }, { topicText }] = await Promise.all([
    import("./help.ts"),
    import("./help-look.ts"),
    import("./topic-text.ts"),
  ]);
  const look = helpLook({ stdout: stdoutLook(), env: process.env });
  const help = helpFor(asked, look);
  if (help !== undefined || argv[0] !== "help" || asked.length !== 1) return help;
  const told = await topic(asked[0] ?? "");
  return told && topicText(told, look);
}

/** Whether stdout is a terminal, and how wide: what can be none is not opened to tell. */
function stdoutLook() {
  if (!fstatSync(1).isCharacterDevice()) return { isTTY: false, columns: 0 };
  const { isTTY = false, columns = 0 } = process.stdout;
  return { isTTY, columns };
}

/** Writes to stdout without opening it as a stream. A reader that left is no failure. */
function printed(text: string): number {
  try {
    writeSync(1, text);
    return 0;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EPIPE") return 0;
    writeSync(2, `Error: the result cannot be written: ${error instanceof Error ? error.message : error}\n`);
    return 1;
  }
}

async function connect(env: World["env"]) {
  const { createTransport } = await import("../client/transport.ts");
  return createTransport(env);
}

const knock = async (env: World["env"], url: string, timeout: number) =>
  (await import("../client/knock.ts")).knock(url, env, timeout);

const proxyFor = async (url: string) => (await import("../client/proxy.ts")).proxyUrl(url);

/** The one place where the tool reaches what writes the documents. */
async function completionScript(shell: Shell): Promise<string> {
  const [{ completionOf }, { treeOf }, { nouns }, { globalFlags }] = await Promise.all([
    import("../docs/completions/index.ts"),
    import("../docs/tree.ts"),
    import("../commands/index.ts"),
    import("./globals.ts"),
  ]);
  return completionOf(shell, treeOf(nouns, globalFlags));
}

const stateFile = (folder: string): string => join(folder, "sandbox.sqlite");

async function sandboxFacts() {
  const [{ keys }, { sandboxLimits }] = await Promise.all([
    import("../sandbox/keys.ts"),
    import("../sandbox/limits.ts"),
  ]);
  return { keys, limits: sandboxLimits };
}

const sandboxHealth = async ({ state }: World["folders"]) =>
  (await import("../sandbox/health.ts")).health(stateFile(state));

/** A topic of help, which the manual holds as well. */
async function topic(name: string) {
  const [{ topicsOf }, { globalFlags }] = await Promise.all([
    import("../docs/topics/index.ts"),
    import("./globals.ts"),
  ]);
  return topicsOf(globalFlags).find((one) => one.name === name);
}

/** The one place where the tool reaches the sandbox. */
async function openSandbox({ state }: World["folders"]) {
  const [{ createSandbox }, { serve }] = await Promise.all([
    import("../sandbox/index.ts"),
    import("../sandbox/serve.ts"),
  ]);
  const sandbox = await createSandbox({ file: stateFile(state) });
  const serving: (() => Promise<void>)[] = [];
  return {
    ...sandbox,
    serve: async ({ only, ...address }: Parameters<SandboxControl["serve"]>[0]) => {
      const served = await serve(sandbox.having(only), address);
      serving.push(served.close);
      return served;
    },
    close: () => {
      for (const stop of serving) void stop();
      sandbox.close();
    },
  };
}
