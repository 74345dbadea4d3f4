import { readConfig } from "../../config/file.ts";
import { oneLine } from "../../output/text.ts";
import type { System } from "../../system/types.ts";
import { type CompletedValue, cachePath, readCache } from "./cache.ts";
import { type CompletionRequest, parseRequest, settingsFor } from "./line.ts";

export interface CompletionSystem extends Pick<System, "env" | "files" | "clock"> {
  /** Refreshes the cache; settles when that is done, or when the shell has waited long enough. */
  readonly refreshCache: () => Promise<void>;
}

/**
 * The output of `__complete KIND [PREFIX] [FLAG]...`: for each value a line with the value, a tab and its description.
 * Empty on any error, as a shell that completes cannot show a message.
 */
export async function complete(argv: readonly string[], system: CompletionSystem): Promise<string> {
  try {
    const request = parseRequest(argv);
    const values = request.kind === "profile" ? profiles(system) : await ofService(request, system);
    return values
      .filter(({ value }) => value.startsWith(request.prefix))
      .map(({ value, description }) => `${value}\t${description}\n`)
      .join("");
  } catch {
    return "";
  }
}

const profiles = ({ files }: CompletionSystem): readonly CompletedValue[] =>
  Object.keys(readConfig(files).profiles ?? {})
    .filter(isWord)
    .map((value) => ({ value, description: "" }));

/** A value with control characters cannot be typed. */
export const isWord = (text: string): boolean => text !== "" && text === oneLine(text, true);

/** Fresh values from the cache, else those that a request returns in time, else older ones from the cache. */
async function ofService(
  { kind, cli }: CompletionRequest,
  system: CompletionSystem,
): Promise<readonly CompletedValue[]> {
  const settings = settingsFor(cli, system);
  if (!settings.sandbox && settings.baseUrl === undefined) return [];
  const path = cachePath(system.files.folders, kind, settings);
  const cached = readCache(path, system);
  if (cached?.fresh) return cached.values;
  await system.refreshCache();
  return readCache(path, system)?.values ?? [];
}
