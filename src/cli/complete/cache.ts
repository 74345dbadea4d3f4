import { createHash } from "node:crypto";
import { rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { LiveValue } from "../../command-kit/values.ts";
import type { Settings } from "../../config/settings.ts";
import { makeFolderSync, writePrivateFile } from "../../core/files.ts";
import { isRecord, parseJson } from "../../core/json.ts";
import type { Clock, Files } from "../../system/types.ts";
import type { CompletedValue } from "./value.ts";

/** Values as they are kept between two presses of Tab: identifiers and labels, never a key. */
export interface Kept {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly values: readonly CompletedValue[];
}

/** Milliseconds for which values are taken as they are. */
export const freshFor = 30_000;
/** Milliseconds for which they are better than nothing. */
export const usefulFor = 3_600_000;

/** The file of one kind of values, of one service and account. */
export function cachePath(
  { state }: Pick<Files["folders"], "state">,
  kind: LiveValue,
  { sandbox, baseUrl, profile, credential }: Settings,
): string {
  const service = sandbox ? ["sandbox"] : [baseUrl, profile, credential?.source, credential?.lastFour];
  const name = createHash("sha256").update(JSON.stringify(service)).digest("hex").slice(0, 16);
  return join(state, "completions", `${kind}-${name}.json`);
}

export interface CacheReader {
  readonly files: Pick<Files, "readText">;
  readonly clock: Pick<Clock, "now">;
}

/** What is kept and may still be used; nothing when the file is not there, too old, of the future or broken. */
export function readKept(
  path: string,
  { files: { readText }, clock: { now } }: CacheReader,
): (Kept & { readonly fresh: boolean }) | undefined {
  const kept: unknown = parseJson(readText(path) ?? "");
  if (!isKept(kept)) return undefined;
  const age = now() - kept.at;
  return age >= 0 && age < usefulFor ? { ...kept, fresh: age < freshFor } : undefined;
}

/** Keeps values for the user alone. */
export const keep = (path: string, kept: Kept): void => writePrivateFile(path, JSON.stringify(kept));

/**
 * Does the work unless another process is at it already, for the same file and not for longer than so many milliseconds:
 * a key that is pressed again and again is still one request.
 */
export async function alone(path: string, longest: number, work: () => Promise<void>): Promise<void> {
  const mark = `${path}.asking`;
  makeFolderSync(dirname(path), 0o700);
  const before = await stat(mark).catch(() => undefined);
  if (before && Date.now() - before.mtimeMs > longest) await rm(mark, { force: true });
  await writeFile(mark, "", { mode: 0o600, flag: "wx" });
  try {
    await work();
  } finally {
    await rm(mark, { force: true });
  }
}

const isKept = (value: unknown): value is Kept =>
  isRecord(value) &&
  typeof value.at === "number" &&
  Array.isArray(value.values) &&
  value.values.every(
    (one) => isRecord(one) && typeof one.value === "string" && typeof one.description === "string",
  );
