import { readConfig } from "../../config/file.ts";
import { oneLine } from "../../output/text.ts";
import type { System } from "../../system/types.ts";
import { type CompletedValue, cachePath, readKept } from "./cache.ts";
import { readWanted, settingsFor, type Wanted } from "./line.ts";

export interface Completing extends Pick<System, "env" | "files" | "clock"> {
  /** Refreshes the cache; settles when that is done, or when the shell has waited long enough. */
  readonly refill: () => Promise<void>;
}

/**
 * The output of `__complete KIND [PREFIX] [FLAG]...`: for each value a line with the value, a tab and its description.
 * Empty on any error, as a shell that completes cannot show a message.
 */
export async function complete(argv: readonly string[], system: Completing): Promise<string> {
  try {
    const wanted = readWanted(argv);
    const values = wanted.kind === "profile" ? profiles(system) : await ofService(wanted, system);
    return values
      .filter(({ value }) => value.startsWith(wanted.prefix))
      .map(({ value, description }) => `${value}\t${description}\n`)
      .join("");
  } catch {
    return "";
  }
}

const profiles = ({ files }: Completing): readonly CompletedValue[] =>
  Object.keys(readConfig(files).profiles ?? {})
    .filter(isWord)
    .map((value) => ({ value, description: "" }));

/** A value with control characters cannot be typed. */
export const isWord = (text: string): boolean => text !== "" && text === oneLine(text, true);

/** Fresh values from the cache, else those that a request returns in time, else older ones from the cache. */
async function ofService({ kind, typed }: Wanted, system: Completing): Promise<readonly CompletedValue[]> {
  const settings = settingsFor(typed, system);
  if (!settings.sandbox && settings.baseUrl === undefined) return [];
  const path = cachePath(system.files.folders, kind, settings);
  const kept = readKept(path, system);
  if (kept?.fresh) return kept.values;
  await system.refill();
  return readKept(path, system)?.values ?? [];
}
