import { createHash } from "node:crypto";
import { EmptyResult, ResultLost, SaveFailed, StoredElsewhere } from "../core/errors.ts";
import { decodeBase64 } from "./base64.ts";
import {
  type Destination,
  destination,
  type FileDestination,
  folderOf,
  pathIn,
  pathOfUnknown,
  unknownExtension,
} from "./destination.ts";
import { DEFAULT_TEMPLATE, fileName, type NameValues } from "./filename.ts";
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

/** A result that was paid for, decoded. */
export interface Decoded extends Omit<Media, "base64" | "finish"> {
  readonly bytes: Uint8Array;
  /** Undefined for a format that is not known. */
  readonly type: MediaType | undefined;
}

/** Decodes a result of any format. Throws `EmptyResult` if it is empty or not base64. */
export function decodeMedia({ base64, finish = (bytes) => bytes, ...media }: Media): Decoded {
  if (base64 === "") throw new EmptyResult(`the response contains no ${media.kind}`);
  const bytes = decodeBase64(base64);
  return { ...media, bytes: finish(bytes), type: sniff(bytes) };
}

/** Warns if a result is not of the kind that was requested. `place` completes the sentence "they were". */
export function warnOfFormat({ kind, type }: Decoded, place: string, say: OutputTarget["say"]): void {
  if (type?.kind === kind) return;
  const format = type ? `is ${type.mime}, not ${nouns[kind]}` : "has an unknown format";
  say(`Warning: the response ${format}; its bytes were ${place}.`);
}

const nouns = { image: "a picture", audio: "sound" } as const;

/**
 * Saves a result under the extension of its bytes. One of another or an unknown format keeps the name that the user
 * typed. A file is replaced only with `force`. A result that cannot be saved where it should go is saved elsewhere, and
 * `problem` says so. Throws `ResultLost` when it cannot be saved anywhere.
 */
export async function saveMedia(
  media: Decoded,
  target: OutputTarget & { readonly to: FileDestination },
): Promise<{ readonly file: SavedFile; readonly problem?: StoredElsewhere }> {
  const { bytes, kind, type, names, count } = media;
  const { to, say, force } = target;
  const filled = { ...names, ext: type?.ext ?? unknownExtension };
  const isExpected = type?.kind === kind;
  const { path: wanted, renamed } = isExpected
    ? pathIn(to, filled, count)
    : { path: pathOfUnknown(to, filled, count), renamed: false };
  const saved = await save(wanted, bytes, { force, makeFolders: to.kind === "template" }).catch(saveFailure);
  if (saved instanceof SaveFailed) {
    return saveElsewhere(media, `could not save ${wanted}: ${saved.reason}`, target);
  }
  if (renamed) say(`The response is ${type?.mime}, so it was saved as ${saved}`);
  warnOfFormat(media, `saved unchanged as ${saved}`, say);
  return { file: fileOf(saved, bytes) };
}

const fileOf = (path: string, bytes: Uint8Array): SavedFile => ({
  path,
  bytes: bytes.length,
  sha256: createHash("sha256").update(bytes).digest("hex"),
});

/**
 * Saves a result under its default name in a fallback folder. The error says why and where. Throws `ResultLost` when no
 * folder works.
 */
export async function saveElsewhere(
  { bytes, type, names }: Pick<Decoded, "bytes" | "type" | "names">,
  reason: string,
  { fallbackFolders }: Pick<OutputTarget, "fallbackFolders">,
): Promise<{ readonly file: SavedFile; readonly problem: StoredElsewhere }> {
  const name = fileName(DEFAULT_TEMPLATE, { ...names, ext: type?.ext ?? unknownExtension });
  const path = await saveInFirst(fallbackFolders, name, bytes);
  if (path === undefined) throw new ResultLost(reason);
  const problem = `${reason}. Saved to ${path} instead, because you were charged for it.`;
  return { file: fileOf(path, bytes), problem: new StoredElsewhere(problem) };
}

/** Saves bytes in the first of the folders that works, and returns the path; undefined if none does. */
export async function saveInFirst(
  folders: readonly string[],
  name: string,
  bytes: Uint8Array,
): Promise<string | undefined> {
  for (const folder of folders) {
    const saved = await save(`${folder}/${name}`, bytes, { makeFolders: true }).catch(saveFailure);
    if (!(saved instanceof SaveFailed)) return saved;
  }
  return undefined;
}

/** Returns a `SaveFailed` instead of throwing it, so that another folder can be tried. */
function saveFailure(error: unknown): SaveFailed {
  if (error instanceof SaveFailed) return error;
  throw error;
}
