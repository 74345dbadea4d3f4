import { createHash } from "node:crypto";
import { EmptyResult, ResultLost, SaveFailed } from "../core/errors.ts";
import { decodeBase64 } from "./base64.ts";
import { type Destination, destination, folderOf, pathIn } from "./destination.ts";
import { DEFAULT_TEMPLATE, type NameValues } from "./filename.ts";
import { assertWritable } from "./folders.ts";
import { save } from "./save.ts";
import { type MediaType, sniff } from "./sniff.ts";

export interface OutputOptions {
  /** A file, a folder, a template, or `-` for stdout; the current folder if undefined. */
  readonly out: string | undefined;
  /** Replace an existing file. */
  readonly force: boolean;
  /** Nothing will be saved, so the folder is not checked. */
  readonly dryRun: boolean;
  readonly resolve: (path: string) => string;
  readonly temporaryFolder: string;
  readonly say: (line: string) => void;
}

/** Where results go. */
export interface OutputTarget extends Pick<OutputOptions, "force" | "say"> {
  readonly to: Destination;
  /** Folders to try in order if a result cannot be saved to `to`. */
  readonly fallbackFolders: readonly string[];
}

export interface SavedFile {
  readonly path: string;
  /** Size of the file in bytes. */
  readonly bytes: number;
  readonly sha256: string;
}

/** Resolves `--out`, and checks that files can be saved there before anything is paid for. Throws when they cannot. */
export async function outputTarget(options: OutputOptions): Promise<OutputTarget> {
  const { out, force, dryRun, resolve, temporaryFolder, say } = options;
  const to = await destination(out, resolve("."));
  if (to.kind !== "stdout" && !dryRun)
    await assertWritable(folderOf(to), { makeFolders: to.kind === "template" });
  return { to, force, say, fallbackFolders: [resolve("."), temporaryFolder] };
}

interface Media {
  readonly base64: string;
  readonly kind: MediaType["kind"];
  /** How many results there are in all. */
  readonly count: number;
  readonly names: Omit<NameValues, "ext">;
  /** Changes the bytes before they are saved. */
  readonly finish?: (bytes: Uint8Array) => Uint8Array;
}

/**
 * Decodes a result and saves it under the extension of its bytes, or returns the bytes when they go to stdout. A
 * file is replaced only with `force`. Throws `EmptyResult` for data of another kind, and `ResultLost` when it cannot be
 * saved anywhere.
 */
export async function saveMedia(
  { base64, kind, count, names, finish = (bytes) => bytes }: Media,
  target: OutputTarget,
): Promise<SavedFile | { readonly bytes: Uint8Array }> {
  const decoded = decodeBase64(base64);
  const type = sniff(decoded);
  if (type?.kind !== kind) throw new EmptyResult(`the response contains no ${kind} of a known type`);
  const bytes = finish(decoded);
  const { to, say } = target;
  if (to.kind === "stdout") return { bytes };
  const filled = { ...names, ext: type.ext };
  const { path: wanted, renamed } = pathIn(to, filled, count);
  const options = { force: target.force, makeFolders: to.kind === "template" };
  const saved = await save(wanted, bytes, options).catch(saveFailure);
  if (renamed && !(saved instanceof SaveFailed))
    say(`The response is ${type.mime}, so it was saved as ${saved}`);
  const path = saved instanceof SaveFailed ? await saveElsewhere(bytes, filled, saved, target) : saved;
  return { path, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** Saves a paid result under its default name in the first fallback folder that works, and prints its path. */
async function saveElsewhere(
  bytes: Uint8Array,
  names: NameValues,
  failure: SaveFailed,
  { fallbackFolders, say }: OutputTarget,
): Promise<string> {
  for (const folder of fallbackFolders) {
    const { path } = pathIn({ kind: "template", folder, template: DEFAULT_TEMPLATE }, names);
    const saved = await save(path, bytes, { makeFolders: true }).catch(saveFailure);
    if (saved instanceof SaveFailed) continue;
    say(`${failure.message}. Saved to ${saved} instead, because you were charged for it.`);
    return saved;
  }
  throw new ResultLost(failure.message);
}

/** Returns a `SaveFailed` instead of throwing it, so that another folder can be tried. */
function saveFailure(error: unknown): SaveFailed {
  if (error instanceof SaveFailed) return error;
  throw error;
}
