import { createHash } from "node:crypto";
import { readdir, rm, rmdir, stat } from "node:fs/promises";
import { join, parse } from "node:path";
import type { Context } from "../../command-kit/context.ts";
import { type Outcome, sideBySide } from "../../command-kit/side-by-side.ts";
import {
  EmptyResult,
  type FailedItem,
  InUse,
  NotTried,
  ResultTruncated,
  reasonOf,
  SaveFailed,
  SomeFailed,
  UsageError,
} from "../../core/errors.ts";
import { assertFile, makeFolderSync } from "../../core/files.ts";
import { NetworkError, ServiceError, UnknownOutcome } from "../../core/service-errors.ts";
import { lockOwner, takeLock } from "../../core/tasks/lock.ts";
import { folderOf, unknownExtension } from "../../media/destination.ts";
import { fileName } from "../../media/filename.ts";
import { makeFolder } from "../../media/folders.ts";
import { type Decoded, type OutputTarget, saveElsewhere } from "../../media/output-target.ts";
import { save } from "../../media/save.ts";

/** Requests speech for a text. While `use` runs, the sound is in a temporary file at `place`. */
export type Speak = <Value>(
  text: string,
  place: Pick<OutputTarget, "to" | "fallbackFolders">,
  use: (sound: Decoded) => Promise<Value>,
) => Promise<Value>;

/** A long text that is spoken in parts. */
export interface LongText {
  /** At least two parts. */
  readonly parts: readonly string[];
  /** The fields of every request, except the text. */
  readonly fields: object;
  readonly names: Omit<Decoded["names"], "prompt"> & { readonly prompt: string };
  /** The file that the text was read from; `-` for stdin. */
  readonly file: string | undefined;
  readonly target: OutputTarget;
  readonly concurrency: number;
  readonly speak: Speak;
}

/** The files of all parts. Other processes cannot use them until `close` is called. */
export interface SpokenParts {
  /** The paths in the order of the text. A part that occurs several times is spoken only once. */
  readonly paths: readonly string[];
  /** Removes the files. Keeps the parts of other texts, and says so. */
  readonly remove: () => Promise<void>;
  readonly close: () => Promise<void>;
}

type PartsContext = Pick<
  Context,
  "files" | "interrupted" | "now" | "progress" | "say" | "setFailureContext" | "settings" | "sleep"
>;

/**
 * Speaks the parts of a text that are not in its folder yet. If any part fails, throws the failures and keeps the other
 * parts, so that running the same command again continues from there. Each part is identified by a hash of its request,
 * so if the text changes, only the changed parts are spoken again.
 */
export async function speakParts(text: LongText, context: PartsContext): Promise<SpokenParts> {
  const { processes } = context.files;
  const folder = folderFor(text, context);
  await makeFolder(folder);
  const lockPath = join(folder, "parts");
  const release = await takeLock(lockPath, { processes, ...lockTimes, busy: (path) => inUse(folder, path) });
  const close = async () => {
    await release();
    await removeIfEmpty(folder);
  };
  const isHeld = async () => (await lockOwner(lockPath)) === processes.self;
  const assertHeld = async () => {
    if (!(await isHeld())) throw takenOver(folder);
  };
  try {
    const paths = await spokenPaths(text, { folder, assertHeld }, context);
    await assertHeld();
    const remove = async () => {
      if (await isHeld()) await removeParts(folder, paths, context.say);
    };
    return { paths, remove, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Milliseconds. A process renews its lock while it runs. Other processes do not wait for the lock. */
const lockTimes = { stale: 30_000, timeout: 0 };

const inUse = (folder: string, lockPath: string): UsageError =>
  new UsageError(`another gpuctl process is speaking this text and uses ${folder}`, {
    hint: `Nothing was sent. If no other gpuctl process is running, delete ${lockPath}.`,
  });

/** Without this error, a process that was suspended would request parts that another process has requested. */
const takenOver = (folder: string): InUse =>
  new InUse(
    `another gpuctl process took over ${folder} while this one was suspended`,
    "When the other process has ended, run the same command again. It requests only the parts that are missing.",
  );

/**
 * Returns the folder for the parts. It is next to the output, and is named after the output, the input file or the
 * text. For stdout, it is in the state folder. A different service, different settings and an input file in another
 * folder use a different folder.
 */
function folderFor(
  { target: { to }, file, names, fields }: LongText,
  { files, settings }: Pick<Context, "files" | "settings">,
): string {
  const source = file === undefined || file === "-" ? undefined : files.resolve(file);
  const { name } = parse(
    to.kind === "file" ? to.path : (source ?? fileName("{slug}", { ...names, ext: "" })),
  );
  const distinction = to.kind === "file" ? "" : (source ?? "");
  const folder = `${name}-parts-${requestHash(distinction, fields, settings).slice(0, 8)}`;
  if (to.kind !== "stdout") return join(folderOf(to), folder);
  makeFolderSync(files.state, 0o700);
  return join(files.state, "speech", folder);
}

/** Returns a hash of everything that determines the response to a request. */
function requestHash(part: string, fields: object, settings: Context["settings"]): string {
  const { sandbox, baseUrl, inferenceBaseUrl } = settings;
  const request = [sandbox, inferenceBaseUrl ?? baseUrl, Object.entries(fields).sort(), part];
  return createHash("sha256").update(JSON.stringify(request)).digest("hex").slice(0, 32);
}

async function spokenPaths(
  { parts, fields, target, concurrency, speak }: LongText,
  { folder, assertHeld }: { readonly folder: string; readonly assertHeld: () => Promise<void> },
  context: PartsContext,
): Promise<readonly string[]> {
  const { progress, say, setFailureContext, settings } = context;
  const hashes = parts.map((part) => requestHash(part, fields, settings));
  const paths = await wholeParts(folder);
  const count = () => hashes.filter((hash) => paths.has(hash)).length;
  const sayKept = () =>
    setFailureContext(
      `${count()} of ${parts.length} parts are kept in ${folder}. Run the same command again to go on.`,
    );
  const missing = [...new Set(hashes)].filter((hash) => !paths.has(hash)).map((hash) => hashes.indexOf(hash));
  if (count() > 0) {
    say(`${count()} of ${parts.length} parts are already there, in ${folder}`);
    sayKept();
  }
  const place = {
    to: { kind: "file", path: join(folder, "part") },
    fallbackFolders: target.fallbackFolders,
  } as const;
  const speakPart = async (index: number): Promise<void> => {
    const hash = hashes[index] ?? "";
    await assertHeld();
    await speak(parts[index] ?? "", place, async (sound) => {
      if (sound.isTruncated)
        throw (await saveElsewhere(sound, "could not save a truncated part", target)).problem;
      const path = join(folder, `${hash}-${sound.file.bytes}.${sound.type?.ext ?? unknownExtension}`);
      try {
        paths.set(hash, await save(path, sound.file, { force: true, makeFolders: true }));
      } catch (error) {
        if (!(error instanceof SaveFailed)) throw error;
        throw (await saveElsewhere(sound, error.message, target)).problem;
      }
    });
    sayKept();
  };
  const nameOf = (index: number) => `part ${(missing[index] ?? 0) + 1}`;
  const shown = () => `Generating speech: ${count()} of ${parts.length} parts`;
  const outcomes = await progress(shown(), (update) =>
    sideBySide(missing, speakPart, {
      ...context,
      concurrency,
      maxWaits,
      nameOf,
      failureOfAll: failuresOfAll(concurrency),
      onDone: () => update(shown()),
    }),
  );
  const failures = outcomes.flatMap((outcome, index) =>
    "error" in outcome ? [{ name: nameOf(index), error: outcome.error }] : [],
  );
  if (failures.length > 0) throw failureOf(failures, count());
  return hashes.flatMap((hash) => paths.get(hash) ?? []);
}

/** How many times in a row to wait after a 429 without any part being spoken. */
const maxWaits = 8;

/** Statuses that concern the caller or the path, so that every part would fail in the same way. */
const statusesForAll = [401, 402, 403, 404, 405, 429];

/** Whether a failure may concern only this part. */
const isOfPart = (error: unknown): boolean =>
  error instanceof ServiceError
    ? !statusesForAll.includes(error.status)
    : [EmptyResult, ResultTruncated, UnknownOutcome, NetworkError].some((one) => error instanceof one);

/**
 * The returned function takes the outcome of a part. If all further parts would fail, too, it returns the error. That
 * is the case after an error such as a rejected key, or after too many failures in a row.
 */
function failuresOfAll(concurrency: number): (outcome: Outcome<unknown>) => unknown {
  let failedInRow = 0;
  return (outcome) => {
    failedInRow = "value" in outcome ? 0 : failedInRow + 1;
    if ("value" in outcome) return undefined;
    return isOfPart(outcome.error) && failedInRow < 2 * concurrency ? undefined : outcome.error;
  };
}

/** Returns the error if some or all parts failed. An error that several parts share is listed only once. */
function failureOf(failures: readonly FailedItem[], succeeded: number): unknown {
  const errors = [...new Set(failures.map(({ error }) => error))];
  const first = errors.find((error) => !(error instanceof NotTried));
  if (succeeded === 0 && errors.every((error) => isLike(error, first))) return first;
  const grouped = errors.map((error) => {
    const [one, ...more] = failures.filter((failure) => failure.error === error);
    return { name: more.length === 0 ? (one?.name ?? "") : `${more.length + 1} parts`, error };
  });
  const total = succeeded + failures.length;
  return new SomeFailed(`${failures.length} of ${total} parts are missing`, { failures: grouped, succeeded });
}

/**
 * Whether two parts failed for the same reason. A part that was not tried has the reason of the failure that stopped
 * it. Two refusals of the service with the same status and text are the same reason. Any other two errors are not, so
 * that each is reported: a part with such an error may have been paid for.
 */
const isLike = (error: unknown, first: unknown): boolean =>
  error === first ||
  (error instanceof NotTried && isLike(error.cause, first)) ||
  (error instanceof ServiceError &&
    first instanceof ServiceError &&
    error.status === first.status &&
    error.message === first.message);

/**
 * The file name of a part consists of its hash and its size in bytes. A file that is still being written has a
 * temporary name, which starts with a dot.
 */
const partName = /^([0-9a-f]{32})-(\d+)\.\w+$/;
const temporaryName = /^\.gpuctl-\w+\.part$/;

/**
 * Returns the paths of the parts in a folder, by their hashes. Ignores a file whose size differs from the size in its
 * name.
 */
async function wholeParts(folder: string): Promise<Map<string, string>> {
  const paths = new Map<string, string>();
  for (const name of await readdir(folder)) {
    const [, hash, bytes] = partName.exec(name) ?? [];
    if (hash === undefined) continue;
    const path = join(folder, name);
    assertPart(path);
    if ((await stat(path)).size === Number(bytes)) paths.set(hash, path);
  }
  return paths;
}

function assertPart(path: string): void {
  try {
    assertFile(path);
  } catch (error) {
    throw new UsageError(reasonOf(error), {
      hint: `Nothing was sent. Move ${path} away, or choose another --out.`,
    });
  }
}

/** Removes parts and incomplete files from a folder. If the folder has other parts, says that they are kept. */
async function removeParts(folder: string, parts: readonly string[], say: Context["say"]): Promise<void> {
  const incomplete = (await readdir(folder)).filter((name) => temporaryName.test(name));
  for (const path of [...parts, ...incomplete.map((name) => join(folder, name))])
    await rm(path, { force: true });
  const others = (await readdir(folder)).filter((name) => partName.test(name)).length;
  if (others === 0) return;
  const kept = others === 1 ? "1 part of another text is" : `${others} parts of other texts are`;
  say(`${kept} kept in ${folder}. If you no longer need it, delete the folder.`);
}

const removeIfEmpty = (folder: string): Promise<void> => rmdir(folder).catch(() => undefined);
