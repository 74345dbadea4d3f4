import type { Context } from "../../context/context.ts";
import { type Destination, pathIn } from "../../media/destination.ts";
import { DEFAULT_TEMPLATE, type NameValues } from "../../media/filename.ts";
import { save } from "../../media/save.ts";
import { SaveFailed } from "../../media/save-failed.ts";
import { ResultLost } from "../errors.ts";

/** Where a result goes when its own place does not take it after all. */
export interface Refuge {
  /** Folders, the first that takes it. */
  readonly folders: readonly string[];
  readonly say: Context["say"];
}

interface Result {
  readonly bytes: Uint8Array;
  readonly names: NameValues;
  readonly count: number;
}

/**
 * Saves what was paid for: in its place, else under its usual name in a refuge, which is told. Gives the real path.
 * Throws `ResultLost` when nothing takes it.
 */
export async function keep(
  to: Exclude<Destination, { kind: "stdout" }>,
  { bytes, names, count }: Result,
  { force, refuge }: { readonly force: boolean; readonly refuge: Refuge },
): Promise<{ readonly path: string; readonly renamed: boolean }> {
  const { path, renamed } = pathIn(to, names, count);
  const first = await tried(() => save(path, bytes, { force, makeFolders: to.makeFolders }));
  if (typeof first === "string") return { path: first, renamed };
  for (const folder of refuge.folders) {
    const template = { kind: "template", folder, template: DEFAULT_TEMPLATE, makeFolders: true } as const;
    const saved = await tried(() => save(pathIn(template, names, count).path, bytes, { makeFolders: true }));
    if (typeof saved !== "string") continue;
    refuge.say(`${first.message}. It was paid for, so it is kept as ${saved}`);
    return { path: saved, renamed: false };
  }
  throw new ResultLost(first.message);
}

async function tried(work: () => Promise<string>): Promise<string | SaveFailed> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SaveFailed) return error;
    throw error;
  }
}
