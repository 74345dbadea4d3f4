import { createHash } from "node:crypto";
import { readdir, rm, rmdir, stat } from "node:fs/promises";
import { basename, join, parse } from "node:path";
import type { Context } from "../../command-kit/context.ts";
import { type Outcome, sideBySide } from "../../command-kit/side-by-side.ts";
import {
  codeOf,
  diskReason,
  EmptyResult,
  type FailedItem,
  InUse,
  isOfSystem,
  NotTried,
  ResultTruncated,
  reasonOf,
  SaveFailed,
  SomeFailed,
  StoredElsewhere,
  saveFailed,
  UsageError,
} from "../../core/errors.ts";
import { assertFile, makeFolderSync } from "../../core/files.ts";
import { NetworkError, ServiceError, UnknownOutcome } from "../../core/service-errors.ts";
import { type Lock, takeLock } from "../../core/tasks/lock.ts";
import { type Destination, folderOf, unknownExtension } from "../../media/destination.ts";
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

/** The files of all parts, which no other process uses until `close` is called. */
export interface SpokenParts {
  /** The paths in the order of the text. A part that occurs several times is spoken only once. */
  readonly paths: readonly string[];
  /**
   * Removes the files, unless another process has taken them over. Keeps the parts of other texts, and says so. Call
   * this only after the recording is complete.
   */
  readonly remove: () => Promise<void>;
  /** Lets other processes use the files. */
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
  const folder = await folderFor(text, context);
  await makeFolder(folder);
  const lock = await takeLock(join(folder, "parts"), {
    processes: context.files.processes,
    ...lockTimes,
    busy: (lockPath) => inUse(folder, lockPath),
  }).catch(async (error: unknown) => {
    await removeIfEmpty(folder);
    throw isOfSystem(error) ? saveFailed(folder, error) : error;
  });
  const close = async () => {
    await lock.release();
    await removeIfEmpty(folder);
  };
  const hashes = text.parts.map((part) => requestHash(part, text.fields, context.settings));
  // If this process took over the lock, the process that held it before may be suspended instead of ended. It may then
  // still write a part to a file with a temporary name, so such files stay.
  const isDone = ({ hash }: PartFile) => (hash === undefined ? !lock.isTakenOver : hashes.includes(hash));
  const remove = async () => {
    if (!(await lock.isHeld())) return;
    await removeFiles(folder, isDone);
    await sayOthers(folder, context);
  };
  try {
    return { paths: await spokenPaths(text, hashes, { folder, lock }, context), remove, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Milliseconds. A process renews its lock while it runs. Other processes do not wait for the lock. */
const lockTimes = { stale: 30_000, timeout: 0 };

const inUse = (folder: string, lockPath: string): UsageError =>
  new UsageError(`another gpuctl process is speaking a text and uses ${folder}`, {
    hint: `Nothing was sent. If no other gpuctl process is running, delete ${lockPath}.`,
  });

/** The error if another process took over the folder while this one was suspended, or if the folder was removed. */
const takenOver = (folder: string): InUse =>
  new InUse(
    `another gpuctl process took over ${folder} while this one was suspended, or the folder was removed`,
    "If another process is speaking this text, wait until it has ended.",
  );

/**
 * Returns the folder for the parts. It is next to the output or, for stdout, in the state folder. It is named after the
 * output file, or else the input file, or else the beginning of the text. Texts share a folder if the output file
 * (or else the path of the input file), the service and the fields of their requests are the same.
 */
async function folderFor(
  { target: { to }, file, names, fields }: LongText,
  { files, settings }: Pick<Context, "files" | "settings">,
): Promise<string> {
  const named = await namedFile(to, file, files);
  const name = named === undefined ? fileName("{slug}", { ...names, ext: "" }) : parse(named).name;
  const folder = `${name}-parts-${requestHash(named ?? "", fields, settings).slice(0, 8)}`;
  if (to.kind !== "stdout") return join(folderOf(to), folder);
  try {
    makeFolderSync(files.state, 0o700);
  } catch (error) {
    throw new UsageError(`the state folder ${files.state} cannot be created: ${diskReason(error)}`, {
      hint: "gpuctl keeps the parts of a long text there. Set GPUCTL_STATE_DIR to another folder, or save the recording to a file with --out. Nothing was sent.",
    });
  }
  return join(files.state, "speech", folder);
}

/**
 * Returns the name of the output file or, if the output is not a named file, the path of the input file. Undefined if
 * neither is a file. The folder for the parts is next to the output, so the name of the output is enough. A pipe, such
 * as one from the shell's `<(...)`, does not count as a file, because different texts can have the same path.
 */
async function namedFile(
  to: Destination,
  file: string | undefined,
  { resolve }: Pick<Context["files"], "resolve">,
): Promise<string | undefined> {
  if (to.kind === "file") return basename(to.path);
  if (file === undefined || file === "-") return undefined;
  const path = resolve(file);
  const facts = await stat(path).catch(() => undefined);
  return facts?.isFile() ? path : undefined;
}

/** Returns a hash of everything that determines the response to a request. */
function requestHash(part: string, fields: object, settings: Context["settings"]): string {
  const { sandbox, baseUrl, inferenceBaseUrl } = settings;
  const request = [sandbox, inferenceBaseUrl ?? baseUrl, Object.entries(fields).sort(), part];
  return createHash("sha256").update(JSON.stringify(request)).digest("hex").slice(0, 32);
}

async function spokenPaths(
  { parts, target, concurrency, speak }: LongText,
  hashes: readonly string[],
  { folder, lock }: { readonly folder: string; readonly lock: Lock },
  context: PartsContext,
): Promise<readonly string[]> {
  const { progress, say, setFailureContext } = context;
  await assertParts(folder);
  const paths = await wholeParts(folder, hashes);
  const count = () => hashes.filter((hash) => paths.has(hash)).length;
  const kept = () => `${count()} of ${parts.length} parts are kept in ${folder}.`;
  const sayKept = () => setFailureContext(`${kept()} Run the same command again to continue.`);
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
    if (!(await lock.isHeld())) throw takenOver(folder);
    // A process that was suspended may have received the part in the meantime.
    const existing = (await wholeParts(folder, [hash])).get(hash);
    if (existing !== undefined) {
      paths.set(hash, existing);
      return;
    }
    await speak(parts[index] ?? "", place, async (sound) => {
      if (sound.isTruncated)
        throw (await saveElsewhere(sound, "could not save a truncated part", target)).problem;
      const path = join(folder, `${hash}-${sound.file.bytes}.${sound.type?.ext ?? unknownExtension}`);
      try {
        paths.set(hash, await save(path, sound.file, { force: true, makeFolders: true }));
      } catch (error) {
        if (!(error instanceof SaveFailed)) throw error;
        const { problem } = await saveElsewhere(sound, error.message, target);
        throw new StoredElsewhere(`${problem.message} Move it to ${path}, or you pay for this part again.`);
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
  const isTaken = !(await lock.isHeld());
  if (isTaken) {
    // The other process may have removed the parts.
    const left = await wholeParts(folder, hashes).catch(() => new Map<string, string>());
    for (const hash of hashes) if (!left.has(hash)) paths.delete(hash);
    setFailureContext(count() === 0 ? undefined : kept());
  }
  const failures = outcomes.flatMap((outcome, index) =>
    "error" in outcome ? [{ name: nameOf(index), error: outcome.error }] : [],
  );
  if (failures.length > 0) throw failureOf(failures, count());
  if (isTaken) throw takenOver(folder);
  return hashes.flatMap((hash) => paths.get(hash) ?? []);
}

/** After this many waits in a row without a success, the next 429 counts as a failure. */
const maxWaits = 8;

/** Statuses that concern the caller or the path, so that every part would fail in the same way. */
const statusesForAll = [401, 402, 403, 404, 405, 429];

/** Whether a failure may concern only this part. */
const isOfPart = (error: unknown): boolean =>
  error instanceof ServiceError
    ? !statusesForAll.includes(error.status)
    : [EmptyResult, ResultTruncated, UnknownOutcome, NetworkError].some((one) => error instanceof one);

/**
 * The returned function takes the outcome of a part. It returns the error if all further parts are likely to fail, too:
 * after an error such as a rejected key, or after too many failures in a row.
 */
function failuresOfAll(concurrency: number): (outcome: Outcome<unknown>) => unknown {
  let failedInRow = 0;
  return (outcome) => {
    failedInRow = "value" in outcome ? 0 : failedInRow + 1;
    if ("value" in outcome) return undefined;
    return isOfPart(outcome.error) && failedInRow < 2 * concurrency ? undefined : outcome.error;
  };
}

/** Returns the error to throw if some or all parts failed. An error that several parts share is listed only once. */
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
 * it. Two error responses with the same status and text count as the same reason. Any other two errors do not, so that
 * each is reported: a part with such an error may have been paid for.
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

interface PartFile {
  readonly path: string;
  /** Undefined for a file with a temporary name. */
  readonly hash: string | undefined;
  readonly bytes: number;
}

/** The files that gpuctl created in a folder of parts. */
async function partFiles(folder: string): Promise<readonly PartFile[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  });
  return names.flatMap((name) => {
    const [isPart, hash, bytes] = partName.exec(name) ?? [];
    if (isPart === undefined && !temporaryName.test(name)) return [];
    return { path: join(folder, name), hash, bytes: Number(bytes) };
  });
}

/**
 * Maps the hash of each part to the path of its file. Leaves out parts that are not in the folder, and files whose size
 * differs from the size in their name.
 */
async function wholeParts(folder: string, hashes: readonly string[]): Promise<Map<string, string>> {
  const paths = new Map<string, string>();
  const wanted = new Set(hashes);
  for (const { path, hash, bytes } of await partFiles(folder)) {
    if (hash === undefined || !wanted.has(hash)) continue;
    const facts = await stat(path).catch(() => undefined);
    if (facts?.isFile() && facts.size === bytes) paths.set(hash, path);
  }
  return paths;
}

/** Checks before anything is sent that parts can be saved under their names. */
async function assertParts(folder: string): Promise<void> {
  for (const { path, hash } of await partFiles(folder)) if (hash !== undefined) assertPart(path);
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

async function removeFiles(folder: string, isDone: (file: PartFile) => boolean): Promise<void> {
  for (const file of await partFiles(folder)) if (isDone(file)) await rm(file.path, { force: true });
}

/** Names the folder if it still has parts. They were paid for, and another text may need them. */
async function sayOthers(folder: string, { say }: Pick<Context, "say">): Promise<void> {
  const others = (await partFiles(folder)).filter(({ hash }) => hash !== undefined).length;
  if (others === 0) return;
  const kept = others === 1 ? "1 part of another text is" : `${others} parts of other texts are`;
  say(`${kept} kept in ${folder}. Delete the folder if you no longer need it.`);
}

const removeIfEmpty = (folder: string): Promise<void> => rmdir(folder).catch(() => undefined);
