import { recordsOf } from "../../command-kit/responses.ts";
import { firstAt } from "../../core/json.ts";
import type { View } from "../../core/view.ts";
import { oneLine, plainText } from "../../output/text.ts";
import type { System } from "../../system/types.ts";
import { createNotes } from "../print/notes.ts";
import { connect } from "../start/connection.ts";
import { createContext } from "../start/context.ts";
import { loadCommand } from "../start/run.ts";
import type { Services } from "../start/services.ts";
import { type Completion, cachePath, withLock, writeCache } from "./cache.ts";
import { isWord } from "./complete.ts";
import { parseRequest, settingsFor } from "./line.ts";

/** Time limit of the background request, in milliseconds. */
const requestTimeout = 5000;
/** Milliseconds after which the background process exits in any case. */
export const refreshTimeout = 2 * requestTimeout;

/**
 * Fetches values once, from the service that a command would use, and caches them. Throws the same errors as a command,
 * and also when another process is already refreshing.
 */
export async function refreshCache(
  argv: readonly string[],
  system: System,
  services: Services,
): Promise<void> {
  const { kind, cli } = parseRequest(argv);
  const settings = settingsFor(cli, system);
  const path = cachePath(system.files.folders, kind, settings);
  const requestSettings = {
    ...settings,
    quiet: true,
    retries: 0,
    timeout: { compute: requestTimeout, inference: requestTimeout },
  };
  const runtime = {
    settings: requestSettings,
    system,
    services,
    notes: createNotes(requestSettings, system.io.stderr),
  };
  await withLock(path, refreshTimeout, async () => {
    const connection = connect(runtime);
    try {
      const context = createContext(runtime, connection, system.clock.now);
      const list = await loadCommand(kind === "model" ? "chat models" : `${kind}s list`);
      const result = await list.run({ ...context, input: {}, flags: {}, args: {} });
      const records = "data" in result ? recordsOf(result.data) : [];
      writeCache(path, { at: system.clock.now(), values: valuesOf(records, list.view) });
    } finally {
      connection.close();
    }
  });
}

/** The ids of records with their labels, as the view of the list command defines them. */
function valuesOf(records: readonly unknown[], view: View): readonly Completion[] {
  if (view.kind !== "list") return [];
  const label = view.columns.find(({ title }) => title === "LABEL")?.paths ?? [];
  return records
    .map((record) => ({
      value: plainText(firstAt(record, view.id)),
      description: oneLine(plainText(firstAt(record, label)), true),
    }))
    .filter(({ value }) => isWord(value));
}
