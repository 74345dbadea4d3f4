import { createHash } from "node:crypto";
import { rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { LiveValue } from "../../command-kit/values.ts";
import type { Settings } from "../../config/settings.ts";
import { makeFolderSync, writePrivateFile } from "../../core/files.ts";
import { isRecord, parseJson } from "../../core/json.ts";
import type { System } from "../../system/types.ts";

/** A value that completes a word, with its description. */
export interface Completion {
  readonly value: string;
  /** May be empty. */
  readonly description: string;
}

/** Cached values, such as IDs and labels. They never include an API key. */
interface CacheEntry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly values: readonly Completion[];
}

/** Milliseconds for which cached values are used without a request. */
export const freshMs = 30_000;
/** Milliseconds for which cached values are used when a request fails or is too slow. */
export const maxAgeMs = 3_600_000;

/** The cache file for one kind of values, or for the fields of one operation. Each account has its own cache files. */
export function cachePath(
  { state }: Pick<System["files"]["folders"], "state">,
  { kind, operation }: { readonly kind: LiveValue; readonly operation: string },
  { sandbox, baseUrl, profile, credential }: Settings,
): string {
  const service = sandbox ? ["sandbox"] : [baseUrl, profile, credential?.source, credential?.lastFour];
  const name = createHash("sha256")
    .update(JSON.stringify([...service, operation]))
    .digest("hex")
    .slice(0, 16);
  return join(state, "completions", `${kind}-${name}.json`);
}

/** The cached values; undefined when the file is missing, invalid, too old or dated in the future. */
export function readCache(
  path: string,
  { files: { readText }, clock: { now } }: Pick<System, "files" | "clock">,
): (CacheEntry & { readonly fresh: boolean }) | undefined {
  const entry: unknown = parseJson(readText(path) ?? "");
  if (!isCacheEntry(entry)) return undefined;
  const age = now() - entry.at;
  return age >= 0 && age < maxAgeMs ? { ...entry, fresh: age < freshMs } : undefined;
}

/** Writes the cache file, readable only by the user. */
export const writeCache = (path: string, entry: CacheEntry): void =>
  writePrivateFile(path, JSON.stringify(entry));

/**
 * Runs `work` while holding a lock file, so that pressing Tab repeatedly sends only one request. Throws if another
 * process holds the lock. A lock older than `maxAge` milliseconds is stale and is replaced.
 */
export async function withLock(
  path: string,
  { maxAge, now }: { readonly maxAge: number; readonly now: number },
  work: () => Promise<void>,
): Promise<void> {
  const lock = `${path}.lock`;
  makeFolderSync(dirname(path), 0o700);
  const existing = await stat(lock).catch(() => undefined);
  if (existing && now - existing.mtimeMs > maxAge) await rm(lock, { force: true });
  await writeFile(lock, "", { mode: 0o600, flag: "wx" });
  try {
    await work();
  } finally {
    await rm(lock, { force: true });
  }
}

const isCacheEntry = (value: unknown): value is CacheEntry =>
  isRecord(value) &&
  typeof value.at === "number" &&
  Array.isArray(value.values) &&
  value.values.every(
    (entry) => isRecord(entry) && typeof entry.value === "string" && typeof entry.description === "string",
  );
