import { resolve } from "node:path";
import { fitsHeader } from "../client/request.ts";
import { UsageError } from "../commands/errors.ts";
import type { Context, Files, Secrets } from "../context/context.ts";
import type { World } from "../context/world.ts";
import { sandboxChatModel } from "../contract/sandbox.ts";
import { mayPrompt } from "./confirm.ts";
import type { Connection } from "./connection.ts";
import { helpLook } from "./help-look.ts";
import { helpOn } from "./help-on.ts";
import { installation } from "./installation.ts";
import type { Notes } from "./notes.ts";
import { configPath } from "./profile.ts";
import { showProgress } from "./progress.ts";
import type { Settings } from "./settings.ts";

interface Made {
  readonly connection: Connection;
  readonly notes: Notes;
}

/** What the commands may touch, made of the world and the settings. */
export function createContext(settings: Settings, world: World, { connection, notes }: Made): Context {
  return {
    call: connection.call,
    stream: connection.stream,
    list: connection.list,
    sandbox: connection.sandbox,
    programs: world.programs,
    completionScript: world.completionScript,
    helpOn: (words) => helpOn(words, world, helpLook(world)),
    now: world.now,
    sleep: (milliseconds) => world.sleep(milliseconds, world.interrupted),
    interrupted: world.interrupted,
    say: notes.say,
    ifItFails: notes.ifItFails,
    progress: (text, work) => showProgress({ text, work }, settings, world),
    files: files(world),
    secrets: secrets(settings, world),
    installation: installation(settings, world),
    settings: {
      version: world.version,
      output: settings.output,
      sandbox: settings.sandbox,
      dryRun: settings.dryRun,
      validate: settings.validate,
      profile: settings.profile,
      baseUrl: settings.sandbox ? undefined : settings.baseUrl,
      inferenceBaseUrl: settings.sandbox ? undefined : settings.inferenceBaseUrl,
      credential: settings.credential,
      defaults: {
        ...settings.defaults,
        chatModel: settings.sandbox ? sandboxChatModel : settings.defaults.chatModel,
      },
    },
    profiles: {
      path: configPath(world),
      save: async (name, change) => (await import("./profile-store.ts")).saveProfile(world, name, change),
      forgetKey: async (name) => (await import("./profile-store.ts")).forgetKey(world, name),
    },
  };
}

function files(world: World): Files {
  const { stdin, stdout, readFile, folders } = world;
  return {
    read: async (path) => {
      if (path === "-") return stdin.read();
      try {
        return await readFile(resolve(world.cwd, path));
      } catch (cause) {
        throw new UsageError(`${path} cannot be read: ${cause instanceof Error ? cause.message : cause}`);
      }
    },
    resolve: (path) => resolve(world.cwd, path),
    temporary: folders.temporary,
    stdoutIsTerminal: stdout.isTTY,
  };
}

function secrets(settings: Settings, world: World): Secrets {
  const { stdin, prompts } = world;
  return {
    readKey: async ({ fromStdin }) => {
      if (!fromStdin && !mayPrompt(settings, world)) {
        throw new UsageError("nobody can be asked for the key: pipe it in with --with-token");
      }
      const typed = fromStdin
        ? new TextDecoder().decode(await stdin.read())
        : await (await prompts()).secret({ message: "API key", validate: keyProblem });
      const key = typed.trim();
      const problem = keyProblem(key);
      if (problem) throw new UsageError(`the key cannot be used: ${problem}`);
      return key;
    },
  };
}

function keyProblem(key: string): string | undefined {
  if (key.trim() === "") return "it is empty";
  return fitsHeader(key.trim()) ? undefined : "it holds spaces or characters that no header can carry";
}
