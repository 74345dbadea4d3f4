import { readConfig } from "../../config/file.ts";
import { isWord } from "../../output/text.ts";
import type { System } from "../../system/types.ts";
import { type Completion, cachePath, readCache } from "./cache.ts";
import { type CompletionRequest, parseRequest, settingsFor } from "./line.ts";

export interface CompletionSystem extends Pick<System, "env" | "files" | "clock"> {
  /** Refreshes the cache. Resolves when the refresh has ended, or when the shell has waited long enough. */
  readonly refreshCache: () => Promise<void>;
}

/**
 * The output of `__complete KIND [PREFIX] [--operation WORDS] [FLAG]...`: one line for each value, with the value, a
 * tab and its description. Empty on any error, because a shell cannot show a message during completion.
 */
export async function complete(argv: readonly string[], system: CompletionSystem): Promise<string> {
  try {
    const request = parseRequest(argv);
    const values = (await localValues(request, system)) ?? (await valuesFromService(request, system));
    return values
      .filter(({ value }) => isOffered(value, request))
      .map(({ value, description }) => `${value}\t${description}\n`)
      .join("");
  } catch {
    return "";
  }
}

/**
 * Whether to offer a value for the prefix. A value that starts with `-` is never offered, because the command would
 * read it as a flag. For `NAME=VALUE`, offers only names until the prefix contains `=`, and then only values.
 */
function isOffered(value: string, { kind, prefix }: CompletionRequest): boolean {
  const isNext = kind !== "operation-field" || prefix.includes("=") !== value.endsWith("=");
  return isNext && value.startsWith(prefix) && !value.startsWith("-");
}

/** Values that are known without a request; undefined for other kinds. */
async function localValues(
  { kind }: CompletionRequest,
  system: CompletionSystem,
): Promise<readonly Completion[] | undefined> {
  if (kind === "profile") return profiles(system);
  if (kind === "chat-session") return sessions(system);
  return kind === "lora" ? loras() : undefined;
}

/** Every documented LoRA with the maximum weight, and the models that support it. */
async function loras(): Promise<readonly Completion[]> {
  const { imageModels } = await import("../../contract/image-models.ts");
  const models = Object.entries(imageModels);
  const names = new Set(models.flatMap(([, { loras }]) => loras));
  return [...names].map((name) => ({
    value: `${name}:1`,
    description: models.flatMap(([model, { loras }]) => (loras.includes(name) ? [model] : [])).join(", "),
  }));
}

/** The chat sessions, the most recently used one first. */
async function sessions({ files }: CompletionSystem): Promise<readonly Completion[]> {
  const { sessionNames, sessionsFolder } = await import("../../sessions/place.ts");
  return (await sessionNames(sessionsFolder(files.folders.state))).map((value) => ({
    value,
    description: "",
  }));
}

const profiles = ({ files }: CompletionSystem): readonly Completion[] =>
  Object.keys(readConfig(files).profiles ?? {})
    .filter(isWord)
    .map((value) => ({ value, description: "" }));

/**
 * Fresh values from the cache. If there are none, requests them. If the request fails or takes too long, returns older
 * values from the cache.
 */
async function valuesFromService(
  request: CompletionRequest,
  system: CompletionSystem,
): Promise<readonly Completion[]> {
  const settings = settingsFor(request.cli, system);
  if (!settings.sandbox && settings.baseUrl === undefined) return [];
  if (request.kind === "operation-field" && request.operation === "") return [];
  const path = cachePath(system.files.folders, request, settings);
  const cached = readCache(path, system);
  if (cached?.fresh) return cached.values;
  await system.refreshCache();
  return readCache(path, system)?.values ?? [];
}
