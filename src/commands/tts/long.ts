import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { extname } from "node:path";
import type { Context } from "../../command-kit/context.ts";
import { SaveFailed, StoredElsewhere } from "../../core/errors.ts";
import { type FileDestination, pathIn, pathOfUnknown, unknownExtension } from "../../media/destination.ts";
import { DEFAULT_TEMPLATE } from "../../media/filename.ts";
import { type OutputTarget, type SavedFile, saveInto } from "../../media/output-target.ts";
import { type JoinedSound, joinSound } from "../../media/sound/join.ts";
import { CannotJoin } from "../../media/sound/sound.ts";
import { type LongText, type SpokenParts, speakParts } from "./parts.ts";

export type LongRecording =
  | { readonly file: SavedFile }
  /** One file for each part, because the parts could not be joined. */
  | { readonly files: readonly SavedFile[]; readonly problem: StoredElsewhere }
  /** The recording for stdout. The text is spoken when `bytes` is read. */
  | { readonly bytes: AsyncIterable<Uint8Array> };

/**
 * Speaks a long text in parts and joins them into one recording. If the parts cannot be joined, saves each as its own
 * file. Removes the parts from their folder once everything is saved or printed. No other process uses the parts in
 * the meantime.
 */
export async function speakLongText(text: LongText, context: Context): Promise<LongRecording> {
  const { to } = text.target;
  if (to.kind === "stdout") return { bytes: printed(text, context) };
  const spoken = await speakParts(text, context);
  try {
    const joined = await joinSound(spoken.paths).catch(orCannotJoin);
    if (joined instanceof CannotJoin) return await saveSeparately(spoken, joined, text, context);
    const file = await saveJoined(joined, { ...text.target, to }, text);
    await spoken.remove();
    return { file };
  } finally {
    await spoken.close();
  }
}

/** Yields the recording. Removes the parts after the last byte has been read. */
async function* printed(text: LongText, context: Context): AsyncGenerator<Uint8Array> {
  const spoken = await speakParts(text, context);
  try {
    const joined = await joinSound(spoken.paths).catch(orCannotJoin);
    if (joined instanceof CannotJoin) throw (await saveSeparately(spoken, joined, text, context)).problem;
    yield* joined.bytes();
    await spoken.remove();
  } finally {
    await spoken.close();
  }
}

function orCannotJoin(error: unknown): CannotJoin {
  if (error instanceof CannotJoin) return error;
  throw error;
}

async function saveJoined(
  { ext, bytes }: JoinedSound,
  target: OutputTarget & { readonly to: FileDestination },
  { names }: LongText,
): Promise<SavedFile> {
  const { path, renamed, replaced } = pathIn(target.to, { ...names, ext });
  // A file with another extension is not the one that the user named, so --force does not replace it.
  const file = await saveChunks(path, bytes(), { ...target, force: target.force && !replaced });
  if (renamed) target.say(`The response is ${ext.toUpperCase()}, so it was saved as ${file.path}`);
  return file;
}

/**
 * Saves each part as its own file, and then removes the parts from their folder. The files are named after the output
 * or, if that is stdout, get default names.
 */
async function saveSeparately(
  { paths, remove }: SpokenParts,
  reason: CannotJoin,
  { names, target }: LongText,
  { setFailureContext }: Pick<Context, "setFailureContext">,
): Promise<{ readonly files: readonly SavedFile[]; readonly problem: StoredElsewhere }> {
  const { to } = target;
  const [folder = "."] = target.fallbackFolders;
  const place: FileDestination =
    to.kind === "stdout" ? { kind: "template", folder, template: DEFAULT_TEMPLATE } : to;
  const files: SavedFile[] = [];
  for (const [index, part] of paths.entries()) {
    const values = { ...names, index: index + 1, ext: extname(part).slice(1) };
    const { path, replaced } =
      values.ext === unknownExtension
        ? { path: pathOfUnknown(place, values, paths.length), replaced: false }
        : pathIn(place, values, paths.length);
    // With --out FILE, --force does not replace the numbered files, because FILE names none of them.
    const force = target.force && to.kind === "template" && !replaced;
    files.push(await saveChunks(path, createReadStream(part), { ...target, to: place, force }));
  }
  await remove();
  setFailureContext(
    "All parts were saved unchanged. Running the same command again would request all parts again.",
  );
  const saved = `saved as ${files.length} files, from ${files[0]?.path} to ${files.at(-1)?.path}`;
  const problem = new StoredElsewhere(`the parts cannot be joined: ${reason.message}. They were ${saved}.`);
  return { files, problem };
}

/** Saves the chunks to a file. Throws `StoredElsewhere` if that fails, because the parts are still in their folder. */
async function saveChunks(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  target: OutputTarget & { readonly to: FileDestination },
): Promise<SavedFile> {
  const sha256 = createHash("sha256");
  let bytes = 0;
  async function* counted() {
    for await (const chunk of chunks) {
      sha256.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  try {
    const saved = await saveInto(target, path, counted(), target.force);
    return { path: saved, bytes, sha256: sha256.digest("hex") };
  } catch (error) {
    if (!(error instanceof SaveFailed)) throw error;
    throw new StoredElsewhere(error.message, { cause: error });
  }
}
