import { readConfig } from "../../config/file.ts";
import { oneLine } from "../../output/text.ts";
import type { System } from "../../system/types.ts";
import { type Completion, cachePath, readCache } from "./cache.ts";
import { type CompletionRequest, parseRequest, settingsFor } from "./line.ts";

export interface CompletionSystem extends Pick<System, "env" | "files" | "clock"> {
  /** Refreshes the cache; resolves when that is done, or when the shell has waited long enough. */
  readonly refreshCache: () => Promise<void>;
}

/**
 * The output of `__complete KIND [PREFIX] [FLAG]...`: for each value a line with the value, a tab and its description.
 * Empty on any error, because a shell cannot show a message during completion.
 */
export async function complete(argv: readonly string[], system: CompletionSystem): Promise<string> {
  try {
    const request = parseRequest(argv);
    const values = request.kind === "profile" ? profiles(system) : await valuesFromService(request, system);
    return values
      .filter(({ value }) => value.startsWith(request.prefix))
      .map(({ value, description }) => `${value}\t${description}\n`)
      .join("");
  } catch {
    return "";
  }
}

const profiles = ({ files }: CompletionSystem): readonly Completion[] =>
  Object.keys(readConfig(files).profiles ?? {})
    .filter(isWord)
    .map((value) => ({ value, description: "" }));

/** Whether a text can be typed on a command line: it is not empty and has no control characters. */
export const isWord = (text: string): boolean => text !== "" && text === oneLine(text, true);

/** Fresh values from the cache, or else from a request that returns in time, or else older values from the cache. */
async function valuesFromService(
  { kind, cli }: CompletionRequest,
  system: CompletionSystem,
): Promise<readonly Completion[]> {
  const settings = settingsFor(cli, system);
  if (!settings.sandbox && settings.baseUrl === undefined) return [];
  const path = cachePath(system.files.folders, kind, settings);
  const cached = readCache(path, system);
  if (cached?.fresh) return cached.values;
  await system.refreshCache();
  return readCache(path, system)?.values ?? [];
}
