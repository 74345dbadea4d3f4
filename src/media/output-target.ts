import { ResultLost, ResultTruncated, SaveFailed, StoredElsewhere } from "../core/errors.ts";
import {
  type Destination,
  destination,
  type FileDestination,
  folderOf,
  pathIn,
  pathOfUnknown,
  unknownExtension,
} from "./destination.ts";
import { DEFAULT_TEMPLATE, fileName, type NameValues, suffixed } from "./filename.ts";
import { assertWritable } from "./folders.ts";
import { type Content, save, type TemporaryFile } from "./save.ts";
import type { MediaType } from "./sniff.ts";

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
  /** Results saved with `force`, by path. Each promise resolves when the file has been saved or could not be saved. */
  readonly written: Map<string, Promise<unknown>>;
}

export interface SavedFile {
  readonly path: string;
  /** Size of the file in bytes. */
  readonly bytes: number;
  /** In hexadecimal; undefined if no one asked for it. */
  readonly sha256: string | undefined;
}

/** Resolves `--out`, and checks that files can be saved there before anything is paid for. Throws if they cannot. */
export async function outputTarget(options: OutputOptions): Promise<OutputTarget> {
  const { out, force, dryRun, resolve, temporaryFolder, say } = options;
  const to = await destination(out, resolve("."));
  if (to.kind !== "stdout" && !dryRun)
    await assertWritable(folderOf(to), to.kind === "template" ? { makeFolders: true } : { file: to.path });
  return { to, force, say, fallbackFolders: [resolve("."), temporaryFolder], written: new Map() };
}

/**
 * Saves a result to `path`. With `force`, replaces an existing file, but not another result of this run: a template may
 * give several results the same name, and each of them was paid for. Returns the path that was used, as `save` does.
 */
export function saveInto(
  { to, written }: Pick<OutputTarget, "written"> & { readonly to: FileDestination },
  path: string,
  content: Parameters<typeof save>[1],
  force: boolean,
): Promise<string> {
  const makeFolders = to.kind === "template";
  if (!force) return save(path, content, { makeFolders });
  const earlier = written.get(path);
  // Waits until the earlier result has been saved. Otherwise, the earlier result could replace this one.
  const saving = Promise.resolve(earlier).then(async () => {
    const used = await save(path, content, { force: earlier === undefined, makeFolders });
    written.set(used, Promise.resolve());
    return used;
  });
  written.set(
    path,
    saving.catch(() => undefined),
  );
  return saving;
}

/** A result that was paid for, decoded into a file. */
export interface Decoded {
  readonly kind: MediaType["kind"];
  /** How many results there are in all. */
  readonly count: number;
  readonly names: Omit<NameValues, "ext">;
  /** Undefined for a format that is not known. */
  readonly type: MediaType | undefined;
  /** The file ends before the picture or sound does. */
  readonly isTruncated: boolean;
  readonly file: TemporaryFile;
}

/** The message for a response that lacks the requested picture or sound. */
export const noMedia = (kind: MediaType["kind"]): string => `the response contains no ${kind}`;

/** Warns if a result is not of the kind that was requested. `place` completes the sentence "its bytes were". */
export function warnOfFormat({ kind, type }: Decoded, place: string, say: OutputTarget["say"]): void {
  if (type?.kind === kind) return;
  const format = type ? `is ${type.mime}, not ${nouns[kind]}` : "has an unknown format";
  say(`Warning: the response ${format}; its bytes were ${place}.`);
}

const nouns = { image: "an image", audio: "audio" } as const;

/**
 * Saves a result with the extension that matches its bytes. A result of another kind, or of an unknown format, keeps
 * the extension that the user typed. With `force`, replaces an existing file, but not if the user typed another media
 * extension, or if several results get numbered names. A truncated result gets a name that says so, and never replaces
 * a file. Returns a `problem` if the result is truncated or had to be saved in another folder. Throws `ResultLost` if
 * the result cannot be saved anywhere.
 */
export async function saveMedia(
  media: Decoded,
  target: OutputTarget & { readonly to: FileDestination },
): Promise<{ readonly file: SavedFile; readonly problem?: StoredElsewhere | ResultTruncated }> {
  const { kind, type, names, count, file } = media;
  const { to, say, force } = target;
  const filled = { ...names, ext: type?.ext ?? unknownExtension };
  const isExpected = type?.kind === kind;
  const { path, renamed, replaced } = isExpected
    ? pathIn(to, filled, count)
    : { path: pathOfUnknown(to, filled, count), renamed: false, replaced: false };
  const wanted = media.isTruncated ? suffixed(path, truncatedSuffix) : path;
  // With a named file and several results, the results get numbered names, which the user did not type.
  const isNamed = to.kind !== "file" || count === 1;
  const replaces = force && isNamed && !media.isTruncated && !replaced;
  const saved = await saveInto(target, wanted, file, replaces).catch(saveFailure);
  if (saved instanceof SaveFailed) {
    return saveElsewhere(media, `could not save ${wanted}: ${saved.reason}`, target);
  }
  if (media.isTruncated) return { file: { ...file, path: saved }, problem: truncatedAt(kind, saved) };
  const isTyped = to.kind === "template" || !to.isGenerated;
  if (renamed && isTyped) say(`The response is ${type?.mime}, so it was saved as ${saved}`);
  warnOfFormat(media, `saved unchanged as ${saved}`, say);
  return { file: { ...file, path: saved } };
}

/** Marks the name of a truncated result. */
const truncatedSuffix = "truncated";

const truncatedAt = (kind: MediaType["kind"], path: string): ResultTruncated =>
  new ResultTruncated(
    `the ${results[kind]} is truncated. Saved to ${path}, because you were charged for it.`,
  );

const results = { image: "image", audio: "audio" } as const;

/**
 * Saves a result under its default name in a fallback folder. The returned `problem` says where, and contains `reason`
 * unless the result is truncated. Throws `ResultLost` if no folder works.
 */
export async function saveElsewhere(
  media: Decoded,
  reason: string,
  { fallbackFolders }: Pick<OutputTarget, "fallbackFolders">,
): Promise<{ readonly file: SavedFile; readonly problem: StoredElsewhere | ResultTruncated }> {
  const { kind, type, names, isTruncated: truncated, file } = media;
  const name = fileName(DEFAULT_TEMPLATE, { ...names, ext: type?.ext ?? unknownExtension });
  const wanted = truncated ? suffixed(name, truncatedSuffix) : name;
  const path = await saveInFirst(fallbackFolders, wanted, file);
  if (path === undefined) throw new ResultLost(reason);
  const saved = { ...file, path };
  if (truncated) return { file: saved, problem: truncatedAt(kind, path) };
  const problem = `${reason}. Saved to ${path} instead, because you were charged for it.`;
  return { file: saved, problem: new StoredElsewhere(problem) };
}

/** Saves a result in the first folder that works. Returns its path; undefined if no folder works. */
export async function saveInFirst(
  folders: readonly string[],
  name: string,
  content: Content,
): Promise<string | undefined> {
  for (const folder of folders) {
    const saved = await save(`${folder}/${name}`, content, { makeFolders: true }).catch(saveFailure);
    if (!(saved instanceof SaveFailed)) return saved;
  }
  return undefined;
}

/** Returns a `SaveFailed` instead of throwing it, so that another folder can be tried. */
function saveFailure(error: unknown): SaveFailed {
  if (error instanceof SaveFailed) return error;
  throw error;
}
