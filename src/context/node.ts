import process from "node:process";
import type { Machine } from "./context.ts";
import { foldersOf } from "./folders.ts";
import { interruption } from "./interruption.ts";
import { currentFolder, permissions, readSettings } from "./places.ts";
import { sink } from "./sink.ts";
import type { World } from "./world.ts";

/** What other rooms make: the transport and the sandbox. */
interface Rooms {
  readonly version: string;
  readonly connect: (env: World["env"]) => ReturnType<World["connect"]>;
  readonly openSandbox: (folders: World["folders"]) => ReturnType<World["openSandbox"]>;
  readonly sandboxFacts: World["sandboxFacts"];
  readonly completionScript: World["completionScript"];
  readonly topic: World["topic"];
  readonly neededNode: string;
  readonly knock: (env: World["env"], ...given: Parameters<Machine["knock"]>) => ReturnType<Machine["knock"]>;
  readonly proxyFor: Machine["proxyFor"];
  readonly sandboxHealth: (folders: World["folders"]) => ReturnType<Machine["sandboxHealth"]>;
}

/** The real world; the one place that touches `process`. Its streams are opened when they are first used. */
export async function nodeWorld(rooms: Rooms): Promise<World> {
  const { version, connect, openSandbox, sandboxFacts, completionScript, topic } = rooms;
  const { env } = process;
  const folders = await foldersOf(env);
  const { signal: interrupted, leaveTo } = interruption();
  return {
    version,
    env,
    get cwd() {
      return currentFolder();
    },
    folders,
    connect: () => connect(env),
    openSandbox: () => openSandbox(folders),
    sandboxFacts,
    completionScript,
    topic,
    programs: {
      run: async (...given) => (await import("./programs.ts")).programsOf(leaveTo).run(...given),
      output: async (...given) => (await import("./programs.ts")).programsOf(leaveTo).output(...given),
    },
    machine: {
      nodeVersion: process.versions.node,
      neededNode: rooms.neededNode,
      platform: process.platform,
      userId: process.getuid?.(),
      home: env.HOME || env.USERPROFILE || "",
      env,
      which: async (program) => (await import("./machine.ts")).which(program),
      stat: async (path) => (await import("./machine.ts")).factsOf(path),
      readText: async (path) => (await import("./machine.ts")).readText(path),
      proxyFor: rooms.proxyFor,
      knock: (...given) => rooms.knock(env, ...given),
      sandboxHealth: () => rooms.sandboxHealth(folders),
    },
    stdin: {
      get isTTY() {
        return process.stdin.isTTY === true;
      },
      read: async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of process.stdin) chunks.push(chunk);
        return Buffer.concat(chunks);
      },
    },
    stdout: sink(() => process.stdout),
    stderr: sink(() => process.stderr, { optional: true }),
    now: Date.now,
    random: Math.random,
    sleep: async (milliseconds, signal) => {
      const { setTimeout: pause } = await import("node:timers/promises");
      await pause(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted());
    },
    interrupted,
    readFile: async (path) => (await import("node:fs/promises")).readFile(path),
    readSettings,
    permissions,
    user: process.geteuid?.(),
    descriptions: {
      read: async (url) => (await descriptions(folders)).read(url),
      write: async (url, text) => (await descriptions(folders)).write(url, text),
    },
    prompts: async () =>
      env.TERM === "dumb"
        ? (await import("./plain-prompts.ts")).plainPrompts
        : (await import("./prompts.ts")).prompts,
    spinner: async (...given) => (await import("./spinner.ts")).spinner(...given),
    hideCursor: async () => (await import("./cursor.ts")).hideCursor(process.stdout),
  };
}

async function descriptions(folders: World["folders"]) {
  return (await import("./description-cache.ts")).descriptionFiles(() => folders.state);
}
