import type { Call } from "../client/call.ts";
import { commands } from "../commands/index.ts";
import type { LiveValue } from "../commands/spec.ts";
import type { World } from "../context/world.ts";
import { alone, cachePath, keep } from "./complete-cache.ts";
import { readWanted } from "./complete-line.ts";
import { type Columns, valuesOf } from "./complete-value.ts";
import { readConfig } from "./config/profile.ts";
import { connect } from "./connection.ts";
import { resolveSettings } from "./settings.ts";

/** Milliseconds for a request that nobody waits for. */
const limit = 5000;
/** Milliseconds after which whoever asks is given up, whatever holds it. */
export const refillLimit = 2 * limit;

/**
 * Asks the service for values once, where a command would send its key, and keeps them for the next Tab. Throws what a
 * command would, and when another process asks already.
 */
export async function refill(argv: readonly string[], world: World): Promise<void> {
  const { kind, typed } = readWanted(argv);
  const settings = resolveSettings({ typed, env: world.env, config: readConfig(world), for: "use" });
  const once = { ...settings, retries: 0, timeout: { compute: limit, inference: limit } };
  const path = cachePath(world.folders, kind, settings);
  await alone(path, refillLimit, async () => {
    const connection = connect(
      once,
      world,
      () => {},
      () => {},
    );
    try {
      const records = await recordsOf(kind, connection.call);
      await keep(path, { at: world.now(), values: valuesOf(records, columnsOf(kind)) });
    } finally {
      await connection.close();
    }
  });
}

async function recordsOf(kind: LiveValue, call: Call): Promise<readonly unknown[]> {
  if (kind === "volume") {
    const { recordsOf: inPage } = await import("../commands/shared/records.ts");
    return inPage(await call("listStorageVolumes", {}));
  }
  const { listActive } = await import("../commands/rentals/listing.ts");
  return (await listActive({ call }, {})).map(({ record }) => record);
}

/** Where the command that lists them finds identifiers and labels. */
function columnsOf(kind: LiveValue): Columns {
  const view = commands.find(({ path }) => path.join(" ") === `${kind}s list`)?.view;
  if (view?.kind !== "list") return { id: [], label: [] };
  return { id: view.id, label: view.columns.find(({ title }) => title === "LABEL")?.paths ?? [] };
}
