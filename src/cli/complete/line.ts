import { parseArgs } from "node:util";
import { type LiveValue, liveValues } from "../../command-kit/values.ts";
import { readConfig } from "../../config/file.ts";
import { resolveSettings, type Settings } from "../../config/settings.ts";
import type { System } from "../../system/types.ts";
import { type CliGlobals, globalFlags } from "../parse/globals.ts";

/** What a shell asks for: the values of one kind that start with a prefix. */
export interface CompletionRequest {
  readonly kind: LiveValue;
  readonly prefix: string;
  /** The operation whose fields are completed, as typed: its ID, or its method and path. Empty if there is none. */
  readonly operation: string;
  /** The global flags on the line that select the service or change how it is called. */
  readonly cli: CliGlobals;
}

/** Flags that select the service or change how it is called. */
const serviceFlags: Readonly<Record<string, { type: "string" | "boolean" }>> = Object.fromEntries(
  globalFlags
    .filter(({ group }) => group === "Service")
    .map((flag) => [flag.name, { type: "value" in flag ? "string" : "boolean" }]),
);

/** Parses `KIND [PREFIX] [--operation WORDS] [FLAG]...`. Ignores unknown flags; throws for an unknown kind. */
export function parseRequest(argv: readonly string[]): CompletionRequest {
  const {
    values: { operation, ...cli },
    positionals,
  } = parseArgs({
    args: [...argv],
    options: { ...serviceFlags, operation: { type: "string" } },
    allowPositionals: true,
    strict: false,
  });
  const [word, prefix = ""] = positionals;
  const kind = liveValues.find((name) => name === word);
  if (kind === undefined) throw new Error(`unknown kind of values: ${word}`);
  return { kind, prefix, operation: typeof operation === "string" ? operation.trim() : "", cli };
}

/** The settings that a command with these flags would use. */
export const settingsFor = (cli: CliGlobals, { env, files }: Pick<System, "env" | "files">): Settings =>
  resolveSettings({ cli, flags: globalFlags, env, config: readConfig(files), for: "use" });
