import { firstAt } from "../../core/json.ts";
import { isWord, oneLine, plainText } from "../../output/text.ts";
import type { System } from "../../system/types.ts";
import { createNotes } from "../print/notes.ts";
import { type Live, liveRecords } from "../prompt/live.ts";
import { connect } from "../start/connection.ts";
import { createContext } from "../start/context.ts";
import type { Services } from "../start/services.ts";
import { type Completion, cachePath, withLock, writeCache } from "./cache.ts";
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
  await withLock(path, { maxAge: refreshTimeout, now: system.clock.now() }, async () => {
    const connection = connect(runtime);
    try {
      const context = createContext(runtime, connection, system.clock.now);
      const live = await liveRecords(kind, context, async () => ({}));
      writeCache(path, { at: system.clock.now(), values: valuesOf(live) });
    } finally {
      connection.close();
    }
  });
}

/** The ids of records with their labels, as the view of the list command defines them. */
function valuesOf({ records, view }: Live): readonly Completion[] {
  const label = view.columns.find(({ title }) => title === "LABEL" || title === "NAME")?.paths ?? [];
  return records
    .map((record) => ({
      value: plainText(firstAt(record, view.id)),
      description: oneLine(plainText(firstAt(record, label)), true),
    }))
    .filter(({ value }) => isWord(value));
}
