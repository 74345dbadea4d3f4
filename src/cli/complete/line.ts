import { parseArgs } from "node:util";
import { type LiveValue, liveValues } from "../../command-kit/values.ts";
import { readConfig } from "../../config/file.ts";
import { resolveSettings, type Settings } from "../../config/settings.ts";
import type { System } from "../../system/types.ts";
import { globalFlags, type TypedGlobals } from "../parse/globals.ts";

/** What a shell requests: values of a kind with a prefix. */
export interface Wanted {
  readonly kind: LiveValue;
  readonly prefix: string;
  /** The flags typed so far that select the service. */
  readonly typed: TypedGlobals;
}

/** Flags that select the service or change how it is called. */
const serviceFlags: Readonly<Record<string, { type: "string" | "boolean" }>> = Object.fromEntries(
  globalFlags
    .filter(({ group }) => group === "Service")
    .map((flag) => [flag.name, { type: "value" in flag ? "string" : "boolean" }]),
);

/** Reads `KIND [PREFIX] [FLAG]...`. Ignores unknown flags; throws for an unknown kind. */
export function readWanted(argv: readonly string[]): Wanted {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: serviceFlags,
    allowPositionals: true,
    strict: false,
  });
  const [word, prefix = ""] = positionals;
  const kind = liveValues.find((name) => name === word);
  if (kind === undefined) throw new Error(`unknown kind of values: ${word}`);
  return { kind, prefix, typed: values };
}

/** The settings of a command with these flags. */
export const settingsFor = (typed: TypedGlobals, { env, files }: Pick<System, "env" | "files">): Settings =>
  resolveSettings({ typed, flags: globalFlags, env, config: readConfig(files), for: "use" });
