import { resolve } from "node:path";
import {
  type Context,
  type Files,
  type Installation,
  type Ports,
  visibleVariables,
} from "../../command-kit/context.ts";
import { createSecrets } from "../../config/credentials.ts";
import { configPath, type Profile, profileOf, profileValues, readConfig } from "../../config/file.ts";
import { createProfiles } from "../../config/profiles.ts";
import { type Settings, usesColor } from "../../config/settings.ts";
import { isUsable } from "../../config/values.ts";
import { reasonOf, UsageError } from "../../core/errors.ts";
import type { Prompts, System } from "../../system/types.ts";
import { globalFlags } from "../parse/globals.ts";
import type { Notes } from "../print/notes.ts";
import { showProgress } from "../print/progress.ts";
import { mayPrompt } from "../prompt/confirm.ts";
import type { Connection } from "./connection.ts";
import type { Services } from "./services.ts";

export interface ContextOptions {
  readonly settings: Settings;
  readonly system: System;
  readonly services: Services;
  readonly connection: Connection;
  readonly notes: Notes;
  readonly serviceNow: () => number;
}

/** What every command may use, and the ports that a command names. */
export function createContext(options: ContextOptions): { readonly context: Context; readonly ports: Ports } {
  const { settings, system, services, connection, notes, serviceNow } = options;
  const { clock, env, interrupted, io, programs } = system;
  const ask = async (hint: string): Promise<Prompts> => {
    if (mayPrompt(settings, io)) return io.prompts();
    throw new UsageError("not running interactively", { hint });
  };
  const ports: Ports = {
    callAt: connection.callAt,
    sandbox: connection.sandbox,
    sandboxFacts: services.sandbox.facts,
    programs,
    completionScript: services.documents.completionScript,
    helpOn: async (words) => {
      const [{ helpOn }, { helpLook }] = await Promise.all([
        import("../help/help-on.ts"),
        import("../help/look.ts"),
      ]);
      return helpOn(words, services.documents, await helpLook({ stdout: io.stdout, env }));
    },
    installation: installation(settings, system, services),
    ask,
    environment: Object.fromEntries(visibleVariables.map((name) => [name, env[name]])),
    profiles: createProfiles({
      profile: settings.profile,
      namedProfile: settings.namedProfile,
      files: system.files,
      env,
      flags: globalFlags,
    }),
    secrets: createSecrets({
      keyring: connection.keyring,
      files: system.files,
      readStdin: io.stdin.read,
      askSecret: async (question, hint) => (await ask(hint)).secret(question),
      output: programs.output,
    }),
  };
  const context: Context = {
    call: connection.call,
    stream: connection.stream,
    list: connection.list,
    request: connection.request,
    describe: connection.describe,
    now: clock.now,
    serviceNow,
    sleep: (milliseconds) => clock.sleep(milliseconds, interrupted),
    interrupted,
    say: notes.say,
    ifItFails: notes.ifItFails,
    progress: (text, work) => showProgress({ text, work }, settings, system),
    files: commandFiles(system),
    settings: {
      version: services.version,
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
      profileValues: settings.profileValues,
    },
  };
  return { context, ports };
}

const commandFiles = ({ files, io: { stdin, stdout } }: System): Files => ({
  read: async (path) => {
    if (path === "-") return stdin.read();
    try {
      return await files.read(resolve(files.cwd, path));
    } catch (cause) {
      throw new UsageError(`${path} cannot be read: ${reasonOf(cause)}`);
    }
  },
  resolve: (path) => resolve(files.cwd, path),
  temporary: files.folders.temporary,
  stdoutIsTerminal: stdout.isTTY,
});

const installation = (
  settings: Settings,
  { env, files, io, machine, programs }: System,
  { network, neededNode, sandbox }: Services,
): Installation => ({
  ...machine,
  neededNode,
  userId: files.user,
  env,
  which: programs.which,
  stat: async (path) => {
    const facts = orUndefined(() => files.stat(path));
    return facts && { ...facts, writable: files.isWritable(path) };
  },
  readText: async (path) => orUndefined(() => files.readText(path)),
  proxyFor: network.proxyFor,
  probe: network.probe,
  sandboxHealth: sandbox.health,
  get configPath() {
    return configPath(files);
  },
  configProblem: () => {
    try {
      return invalidValues(profileOf(readConfig(files), settings.profile), settings.profile);
    } catch (error) {
      return reasonOf(error);
    }
  },
  get stateFolder() {
    return files.folders.state;
  },
  get terminal() {
    return {
      stdin: io.stdin.isTTY,
      stdout: io.stdout.isTTY,
      stderr: io.stderr.isTTY,
      columns: io.stdout.columns,
      color: usesColor(settings.color, io.stdout.isTTY, env),
    };
  },
});

/** Other commands fail over the invalid values of a profile. */
function invalidValues(profile: Profile | undefined, name: string): string | undefined {
  const invalid = Object.entries(profileValues(profile))
    .filter(([key, text]) => !isUsable(key, text))
    .map(([key, text]) => `${key} ${JSON.stringify(text)}`);
  if (invalid.length === 0) return undefined;
  return `profile "${name}" has invalid values: ${invalid.join(", ")} (remove one with \`gpuctl config unset KEY\`)`;
}

function orUndefined<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
