import { createHash } from "node:crypto";
import { readdir, rm, rmdir, stat } from "node:fs/promises";
import { join, parse } from "node:path";
import type { Context } from "../../command-kit/context.ts";
import { type Outcome, sideBySide } from "../../command-kit/side-by-side.ts";
import {
  EmptyResult,
  type FailedItem,
  NotTried,
  ResultTruncated,
  reasonOf,
  SaveFailed,
  SomeFailed,
  UsageError,
} from "../../core/errors.ts";
import { assertFile, makeFolderSync } from "../../core/files.ts";
import { NetworkError, ServiceError, UnknownOutcome } from "../../core/service-errors.ts";
import { locked } from "../../core/tasks/lock.ts";
import { folderOf, unknownExtension } from "../../media/destination.ts";
import { fileName } from "../../media/filename.ts";
import { makeFolder } from "../../media/folders.ts";
import { type Decoded, type OutputTarget, saveElsewhere } from "../../media/output-target.ts";
import { save } from "../../media/save.ts";

/** Requests a text as speech. The sound is in a temporary file at `place` while it is used. */
export type Speak = <Value>(
  text: string,
  place: Pick<OutputTarget, "to" | "fallbackFolders">,
  use: (sound: Decoded) => Promise<Value>,
) => Promise<Value>;

/** A long text that is spoken in parts. */
export interface LongText {
  /** At least two. */
  readonly parts: readonly string[];
  /** The fields of every request besides the text. */
  readonly fields: object;
  readonly names: Omit<Decoded["names"], "prompt"> & { readonly prompt: string };
  /** The file that the text is from; `-` for stdin. */
  readonly file: string | undefined;
  readonly target: OutputTarget;
  readonly concurrency: number;
  readonly speak: Speak;
}

/** The files of all parts. Each one is there whole or not at all. */
export interface SpokenParts {
  /** In the order of the text. A part that occurs several times is spoken once. */
  readonly paths: readonly string[];
  /** Removes them. */
  readonly remove: () => Promise<void>;
}

type PartsContext = Pick<
  Context,
  "files" | "interrupted" | "now" | "progress" | "say" | "setFailureContext" | "settings" | "sleep"
>;

/**
 * Speaks the parts of a text that are not in its folder yet, and calls `use` once all are there. If any fails, throws the
 * failures and keeps the others, so that the same command line goes on where this one ended. A part is found by a hash
 * of its request, so that a changed text speaks only what changed.
 */
export async function withSpokenParts<Value>(
  text: LongText,
  context: PartsContext,
  use: (spoken: SpokenParts) => Promise<Value>,
): Promise<Value> {
  const folder = folderFor(text, context);
  await makeFolder(folder);
  const work = async () =>
    use({ paths: await spokenPaths(text, folder, context), remove: () => empty(folder) });
  try {
    return await locked(join(folder, "parts"), work, {
      processes: context.files.processes,
      ...lockTimes,
      busy: (lockPath) => inUse(folder, lockPath),
    });
  } finally {
    await removeIfEmpty(folder);
  }
}

/** A lock is renewed while its process runs. */
const lockTimes = { stale: 30_000, timeout: 0 };

const inUse = (folder: string, lockPath: string): UsageError =>
  new UsageError(`another gpuctl is speaking this text: it uses ${folder}`, {
    hint: `Nothing was sent. If no gpuctl is running, delete ${lockPath}.`,
  });

/**
 * A folder beside the output, named after the output or the text. For stdout it is in the state folder. Requests to
 * another service, or with other settings, have another one.
 */
function folderFor(
  { target: { to }, file, names, fields }: LongText,
  { files, settings }: Pick<Context, "files" | "settings">,
): string {
  const source = file === undefined || file === "-" ? fileName("{slug}", { ...names, ext: "" }) : file;
  const { name } = parse(to.kind === "file" ? to.path : source);
  const folder = `${name}-parts-${requestHash("", fields, settings).slice(0, 8)}`;
  if (to.kind !== "stdout") return join(folderOf(to), folder);
  makeFolderSync(files.state, 0o700);
  return join(files.state, "speech", folder);
}

/** Identifies a request by all that determines its response. */
function requestHash(part: string, fields: object, settings: Context["settings"]): string {
  const { sandbox, baseUrl, inferenceBaseUrl } = settings;
  const request = [sandbox, inferenceBaseUrl ?? baseUrl, Object.entries(fields).sort(), part];
  return createHash("sha256").update(JSON.stringify(request)).digest("hex").slice(0, 32);
}

async function spokenPaths(
  { parts, fields, target, concurrency, speak }: LongText,
  folder: string,
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

/** How often to wait after a 429, without a part that is spoken in between. */
const maxWaits = 8;

/** Statuses that say something about the caller or the path, not about the part. */
const statusesForAll = [401, 402, 403, 404, 405, 429];

/** Whether a failure may be that of one part only. */
const isOfPart = (error: unknown): boolean =>
  error instanceof ServiceError
    ? !statusesForAll.includes(error.status)
    : [EmptyResult, ResultTruncated, UnknownOutcome, NetworkError].some((one) => error instanceof one);

/** Returns the failure that an outcome shows all further parts to have, such as a rejected key, or too many in a row. */
function failuresOfAll(concurrency: number): (outcome: Outcome<unknown>) => unknown {
  let failedInRow = 0;
  return (outcome) => {
    failedInRow = "value" in outcome ? 0 : failedInRow + 1;
    if ("value" in outcome) return undefined;
    return isOfPart(outcome.error) && failedInRow < 2 * concurrency ? undefined : outcome.error;
  };
}

/** The failure of some or all parts. What happened to several parts is said once. */
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

/** Whether two parts failed for the same reason, without an effect. */
const isLike = (error: unknown, first: unknown): boolean =>
  error === first ||
  (error instanceof NotTried && isLike(error.cause, first)) ||
  (error instanceof ServiceError &&
    first instanceof ServiceError &&
    error.status === first.status &&
    error.message === first.message);

/** The name of a part is its hash and its size in bytes; that of a file that was being written starts with a dot. */
const partName = /^([0-9a-f]{32})-(\d+)\.\w+$/;
const temporaryName = /^\.gpuctl-\w+\.part$/;

/** The paths of the parts in a folder, by their hashes. A file of another size than its name says is ignored. */
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
      hint: "Nothing was sent. Move it away, or choose another --out.",
    });
  }
}

/** Removes what gpuctl put into a folder of parts, and the folder. */
async function empty(folder: string): Promise<void> {
  const names = await readdir(folder);
  for (const name of names) {
    if (partName.test(name) || temporaryName.test(name)) await rm(join(folder, name), { force: true });
  }
  await removeIfEmpty(folder);
}

const removeIfEmpty = (folder: string): Promise<void> => rmdir(folder).catch(() => undefined);
