import { join } from "node:path";
import process from "node:process";
import type { World } from "../context/world.ts";
import { version } from "./generated/version.ts";

/** Runs the command line of this process and gives its exit code. The version needs nothing else to be loaded. */
export async function start(): Promise<number> {
  const argv = process.argv.slice(2);
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
    return printed(`${version}\n`);
  }
  const [{ main }, { nodeWorld }] = await Promise.all([import("./main.ts"), import("../context/node.ts")]);
  const world = nodeWorld(version);
  return main(argv, {
    ...world,
    connect: () => connect(world.env),
    openSandbox: () => openSandbox(world.folders),
  });
}

/** Writes to stdout without loading what the other commands write with. A reader that left is no failure. */
function printed(text: string): Promise<number> {
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") process.stderr.write(`Error: ${error.message}\n`);
      resolve(error.code === "EPIPE" ? 0 : 1);
    };
    process.stdout.once("error", fail).write(text, (error) => {
      if (!error) resolve(0);
    });
  });
}

async function connect(env: World["env"]) {
  const { createTransport } = await import("../client/transport.ts");
  return createTransport(env);
}

/** The one place where the tool reaches the sandbox. */
async function openSandbox({ state }: World["folders"]) {
  const [{ createSandbox }, { serve }] = await Promise.all([
    import("../sandbox/index.ts"),
    import("../sandbox/serve.ts"),
  ]);
  const sandbox = await createSandbox({ file: join(state, "sandbox.sqlite") });
  return { ...sandbox, serve: (address: { host: string; port: number }) => serve(sandbox, address) };
}
