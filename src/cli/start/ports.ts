import {
  type Installation,
  type PictureScreen,
  type Ports,
  visibleVariables,
} from "../../command-kit/context.ts";
import { createSecrets } from "../../config/credentials.ts";
import { configPath, type Profile, profileOf, profileValues, readConfig } from "../../config/file.ts";
import { createProfiles } from "../../config/profiles.ts";
import { usesColor } from "../../config/settings.ts";
import { isUsable } from "../../config/values.ts";
import { reasonOf, UsageError } from "../../core/errors.ts";
import { withoutPassword } from "../../core/urls.ts";
import { pictureTerminal } from "../../system/picture-terminal.ts";
import { findViewer } from "../../system/viewer.ts";
import { globals, nouns } from "../generated/tree.ts";
import { helpStyle } from "../help/layout.ts";
import { helpOrTopic } from "../help/topics.ts";
import { globalFlags } from "../parse/globals.ts";
import { unknownTopic } from "../parse/unknown.ts";
import { serviceFlags, withServiceFlags } from "../print/service-flags.ts";
import { canPrompt, placeOf } from "../prompt/confirm.ts";
import { readNamedStdin } from "../prompt/stdin.ts";
import { createAttendance } from "./attendance.ts";
import type { Connection } from "./connection.ts";
import { createDialog, type DialogOptions } from "./dialog.ts";
import { preload } from "./preload.ts";
import type { Runtime } from "./services.ts";

/** The ports that belong to one run of a command. */
export type RunPorts = Pick<Ports, "changeLine" | "typedFlags" | "withinLimits"> &
  Partial<Pick<Ports, TaskPort>>;

/** The ports of commands that use `task`. */
type TaskPort = "task" | "commandNode" | "failureOf" | "messages";

/** Creates the ports, which only some commands use. This module is loaded only for these commands. */
export function createPorts(
  runtime: Runtime,
  { callAt, requestAt, sandbox, sandboxServer, setSandboxAside, servedSandbox, keyring }: Connection,
  dialog: DialogOptions,
): Omit<Ports, keyof RunPorts> {
  const { settings, services } = runtime;
  const { env, files, io, programs } = runtime.system;
  const ask: Ports["ask"] = async (hint) => {
    if (canPrompt(settings, io)) return io.prompts();
    throw new UsageError("cannot prompt: not running interactively", { hint });
  };
  return {
    ask,
    place: placeOf(settings),
    withServiceFlags: (text) => withServiceFlags(text, serviceFlags(dialog.invocation.globals)),
    callAt,
    requestAt,
    sandbox: servedSandbox ?? sandbox,
    setSandboxAside,
    sandboxFacts: servedSandbox
      ? {
          keys: async () => (await servedSandbox()).keys(),
          limits: async () => (await servedSandbox()).limits(),
        }
      : services.sandbox.facts,
    sandboxServer,
    startMachines: async () => (settings.sandbox ? (await sandbox()).startMachines() : undefined),
    programs,
    pictures: pictureScreen(runtime),
    helpOn: async (words) => {
      const help = await helpOrTopic(words, await helpStyle(io.stdout, env));
      if (help === undefined) throw unknownTopic(words);
      return help;
    },
    completionScript: async (shell) => {
      const [{ completionScripts }, { treeOf }] = await Promise.all([
        import("../../docs/completions/index.ts"),
        import("../../docs/tree.ts"),
      ]);
      return completionScripts[shell](treeOf(nouns, globals));
    },
    installation: installation(runtime),
    dialog: createDialog(runtime, dialog),
    attendance: createAttendance(runtime.system, runtime.redactor),
    preload,
    environment: Object.fromEntries(visibleVariables.map((name) => [name, env[name]])),
    profiles: createProfiles({ ...settings, files, env, flags: globalFlags }),
    secrets: createSecrets({
      keyring,
      files,
      readStdin: () => readNamedStdin(runtime, { from: "the key", kind: "text" }),
      askSecret: async (question, hint) => (await ask(hint)).secret(question),
      output: programs.output,
    }),
  };
}

function pictureScreen({ settings, system: { env, io, machine, programs } }: Runtime): PictureScreen {
  const { platform } = machine;
  return {
    terminal: () =>
      pictureTerminal(io.stderr, { env, platform, color: usesColor(settings.color, io.stderr.isTTY, env) }),
    draw: (text) => io.stderr.write(text, { drawn: "pictures" }),
    findViewer: () => findViewer({ platform, env, programs }),
  };
}

function installation({ settings, system, services }: Runtime): Installation {
  const { env, files, io, machine, programs } = system;
  return {
    ...machine,
    neededNode: services.neededNode,
    userId: files.user,
    env,
    which: programs.which,
    capture: programs.capture,
    stat: async (path) => {
      const facts = orUndefined(() => files.stat(path));
      return facts && { ...facts, writable: files.isWritable(path) };
    },
    readText: async (path) => orUndefined(() => files.readText(path)),
    proxyFor: services.network.proxyFor,
    probe: services.network.probe,
    sandboxHealth: services.sandbox.health,
    get configPath() {
      return configPath(files);
    },
    configProblem: () => {
      try {
        const config = readConfig(files);
        if (settings.profileProblem) throw settings.profileProblem;
        return invalidValues(profileOf(config, settings.profile), settings.profile);
      } catch (error) {
        const hint =
          (error instanceof UsageError && error.hint) || "Fix the configuration file, or move it away.";
        return { message: reasonOf(error), hint };
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
  };
}

/** Lists the values of a profile that make other commands fail. */
function invalidValues(
  profile: Profile | undefined,
  name: string,
): ReturnType<Installation["configProblem"]> {
  const invalid = Object.entries(profileValues(profile))
    .filter(([key, text]) => !isUsable(key, text))
    .map(([key, text]) => `${key} ${JSON.stringify(withoutPassword(text))}`);
  if (invalid.length === 0) return undefined;
  return {
    message: `profile "${name}" has invalid values: ${invalid.join(", ")}`,
    hint: "`gpuctl config unset KEY` removes a value.",
  };
}

function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
