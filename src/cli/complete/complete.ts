import { readConfig } from "../../config/file.ts";
import { resolveSettings } from "../../config/settings.ts";
import type { System } from "../../system/types.ts";
import { globalFlags } from "../parse/globals.ts";
import { cachePath, readKept } from "./cache.ts";
import { readWanted, type Wanted } from "./line.ts";
import { type CompletedValue, isWord, valueLines } from "./value.ts";

export interface Completing extends Pick<System, "env" | "files" | "clock"> {
  /** Refreshes the cache; settles when that is done, or when the shell has waited long enough. */
  readonly refill: () => Promise<void>;
}

/**
 * The output of `__complete KIND [PREFIX] [FLAG]...`: one line per value. Empty on any error, as a shell that completes
 * cannot show a message.
 */
export async function complete(argv: readonly string[], system: Completing): Promise<string> {
  try {
    const wanted = readWanted(argv);
    const values = wanted.kind === "profile" ? profiles(system) : await ofService(wanted, system);
    return valueLines(values, wanted.prefix);
  } catch {
    return "";
  }
}

const profiles = (system: Completing): readonly CompletedValue[] =>
  Object.keys(readConfig(system.files).profiles ?? {})
    .filter(isWord)
    .map((value) => ({ value, description: "" }));

/** Fresh values from the cache, else those that a request returns in time, else older ones from the cache. */
async function ofService({ kind, typed }: Wanted, system: Completing): Promise<readonly CompletedValue[]> {
  const settings = resolveSettings({
    typed,
    flags: globalFlags,
    env: system.env,
    config: readConfig(system.files),
    for: "use",
  });
  if (!settings.sandbox && settings.baseUrl === undefined) return [];
  const path = cachePath(system.files.folders, kind, settings);
  const kept = readKept(path, system);
  if (kept?.fresh) return kept.values;
  await system.refill();
  return readKept(path, system)?.values ?? [];
}
