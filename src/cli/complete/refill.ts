import { recordsOf } from "../../command-kit/responses.ts";
import { readConfig } from "../../config/file.ts";
import { resolveSettings } from "../../config/settings.ts";
import type { View } from "../../core/view.ts";
import type { System } from "../../system/types.ts";
import { globalFlags } from "../parse/globals.ts";
import { createNotes } from "../print/notes.ts";
import { connect } from "../start/connection.ts";
import { createContext } from "../start/context.ts";
import { loadCommand } from "../start/run.ts";
import type { Services } from "../start/services.ts";
import { alone, cachePath, keep } from "./cache.ts";
import { readWanted } from "./line.ts";
import { type Columns, valuesOf } from "./value.ts";

/** Time limit of the background request, in milliseconds. */
const limit = 5000;
/** Milliseconds after which the background process exits in any case. */
export const refillLimit = 2 * limit;

/**
 * Requests values once, from the service that a command would use, and caches them for the next Tab. Throws what a
 * command would, and when another process is already refilling.
 */
export async function refill(argv: readonly string[], system: System, services: Services): Promise<void> {
  const { kind, typed } = readWanted(argv);
  const settings = resolveSettings({
    typed,
    flags: globalFlags,
    env: system.env,
    config: readConfig(system.files),
    for: "use",
  });
  const once = { ...settings, retries: 0, timeout: { compute: limit, inference: limit } };
  const path = cachePath(system.files.folders, kind, settings);
  await alone(path, refillLimit, async () => {
    const connection = connect({ settings: once, system, services });
    try {
      const notes = createNotes({ ...once, quiet: true }, system.io.stderr);
      const { context } = createContext({
        settings: once,
        system,
        services,
        connection,
        notes,
        serviceNow: system.clock.now,
      });
      const list = await loadCommand(`${kind}s list`);
      const result = await list.run({ ...context, input: {}, flags: {}, args: {} });
      const records = "data" in result ? recordsOf(result.data) : [];
      keep(path, { at: system.clock.now(), values: valuesOf(records, columnsOf(list.view)) });
    } finally {
      await connection.close();
    }
  });
}

/** The paths of identifiers and labels, from the view of the list command. */
function columnsOf(view: View): Columns {
  if (view.kind !== "list") return { id: [], label: [] };
  return { id: view.id, label: view.columns.find(({ title }) => title === "LABEL")?.paths ?? [] };
}
