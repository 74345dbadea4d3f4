import { writeSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Shell } from "../context/context.ts";
import type { World } from "../context/world.ts";
import { neededNode, version } from "./generated/version.ts";

/** Runs the command line of this process and gives its exit code. Version and help load little else. */
export async function start(): Promise<number> {
  const argv = process.argv.slice(2);
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
    return printed(`${version}\n`);
  }
  const help = await helpOf(argv);
  if (help !== undefined) return printed(help);
  const [{ main }, { nodeWorld }] = await Promise.all([import("./main.ts"), import("../context/node.ts")]);
  const rooms = {
    version,
    neededNode,
    connect,
    knock,
    proxyFor,
    openSandbox,
    sandboxHealth,
    completionScript,
  };
  return main(argv, await nodeWorld(rooms));
}

/** The help that a plain command line asks for; one with more in it is for the parser to read. */
async function helpOf(argv: readonly string[]): Promise<string | undefined> {
  const last = argv.at(-1);
  if (last !== undefined && last !== "--help" && last !== "-h") return undefined;
  return (await import("./help.ts")).helpFor(argv.slice(0, -1));
}

/** Writes to stdout without opening it as a stream. A reader that left is no failure. */
function printed(text: string): number {
  try {
    writeSync(1, text);
    return 0;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EPIPE") return 0;
    writeSync(2, `Error: ${error instanceof Error ? error.message : error}\n`);
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

const sandboxHealth = async ({ state }: World["folders"]) =>
  (await import("../sandbox/health.ts")).health(stateFile(state));

/** The one place where the tool reaches the sandbox. */
async function openSandbox({ state }: World["folders"]) {
  const [{ createSandbox }, { serve }] = await Promise.all([
    import("../sandbox/index.ts"),
    import("../sandbox/serve.ts"),
  ]);
  const sandbox = await createSandbox({ file: stateFile(state) });
  return { ...sandbox, serve: (address: { host: string; port: number }) => serve(sandbox, address) };
}
