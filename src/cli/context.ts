import { resolve } from "node:path";
import { reasonOf, UsageError } from "../commands/errors.ts";
import { type Context, type Files, visibleVariables } from "../context/context.ts";
import type { World } from "../context/world.ts";
import { sandboxChatModel } from "../contract/sandbox.ts";
import { profilesOf } from "./config/profiles.ts";
import { mayPrompt } from "./confirm.ts";
import type { Connection } from "./connection.ts";
import { helpLook } from "./help-look.ts";
import { helpOn } from "./help-on.ts";
import { installation } from "./installation.ts";
import type { Notes } from "./notes.ts";
import { showProgress } from "./progress.ts";
import { secretsOf } from "./secrets.ts";
import type { Settings } from "./settings.ts";

interface Made {
  readonly connection: Connection;
  readonly notes: Notes;
  readonly serviceNow: () => number;
}

/** What the commands may touch, made of the world and the settings. */
export function createContext(
  settings: Settings,
  world: World,
  { connection, notes, serviceNow }: Made,
): Context {
  return {
    call: connection.call,
    stream: connection.stream,
    list: connection.list,
    request: connection.request,
    describe: connection.describe,
    sandbox: connection.sandbox,
    sandboxFacts: world.sandboxFacts,
    programs: world.programs,
    completionScript: world.completionScript,
    helpOn: (words) => helpOn(words, world, helpLook(world)),
    now: world.now,
    serviceNow,
    sleep: (milliseconds) => world.sleep(milliseconds, world.interrupted),
    interrupted: world.interrupted,
    say: notes.say,
    ifItFails: notes.ifItFails,
    progress: (text, work) => showProgress({ text, work }, settings, world),
    files: files(world),
    installation: installation(settings, world),
    secrets: secretsOf(settings, world, connection.keyring),
    ask: async (instead) => {
      if (mayPrompt(settings, world)) return world.prompts();
      throw new UsageError("there is nobody to ask", { hint: instead });
    },
    callAt: connection.callAt,
    environment: Object.fromEntries(visibleVariables.map((name) => [name, world.env[name]])),
    settings: {
      version: world.version,
      output: settings.output,
      formatTyped: settings.formatTyped,
      tableTyped: settings.tableTyped,
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
    profiles: profilesOf(settings, world),
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
        throw new UsageError(`${path} cannot be read: ${reasonOf(cause)}`);
      }
    },
    resolve: (path) => resolve(world.cwd, path),
    temporary: folders.temporary,
    stdoutIsTerminal: stdout.isTTY,
  };
}
