import { constants } from "node:fs";
import { type FileHandle, open, rename, rm, stat, utimes } from "node:fs/promises";
import { codeOf, diskReason, SaveFailed, saveFailed, Unavailable } from "../core/errors.ts";
import { readTextFile, writePrivateFile } from "../core/files.ts";
import { asRecord, parseJson } from "../core/json.ts";
import { locked, type Processes } from "../core/tasks/lock.ts";
import { stringifyExactly } from "../core/values/exact-numbers.ts";
import { answerFiles, readAnswer } from "./answer.ts";
import { orUndefined } from "./place.ts";
import { parseTurn, type Turn } from "./turn.ts";

/** The version of the format. Files of other versions are rejected. */
const version = 1;

/** The `format` field in the first line of a session's file. */
const format = "gpuctl-chat-session";

/** What the file of a session holds. */
export interface Contents {
  /** In the order in which they were stored. */
  readonly turns: readonly Turn[];
  /** Messages for the user about lines that cannot be read; empty if there are none. */
  readonly problems: readonly string[];
  /** The process that created the file. Set only in the file of a question that was asked without a session. */
  readonly process: string | undefined;
}

/** The text of a new file with its first turns. */
const newFile = (turns: readonly Turn[], process?: string): string =>
  lines([{ format, version, ...(process !== undefined && { process }) }, ...turns]);

/** Turns as lines. `JSON.stringify` could fail, because services report usage in fields that may be nested deeply. */
const lines = (records: readonly object[]): string =>
  records.map((record) => `${stringifyExactly(record)}\n`).join("");

/** Creates the file of a session. Throws `SaveFailed`. */
export function createFile(path: string, turns: readonly Turn[], process?: string): void {
  try {
    writePrivateFile(path, newFile(turns, process));
  } catch (error) {
    throw saveFailed(path, error);
  }
}

/**
 * Reads a session, and the answers that are still arriving or were never finished. Skips lines that cannot be read.
 * Returns undefined if there is no file. Throws `Unavailable` if the file cannot be read, is not a session, or has
 * another format version.
 */
export async function readSession(path: string, processes: Processes): Promise<Contents | undefined> {
  const text = await readTextFile(path).catch((error) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new Unavailable(
      `the chat session cannot be read: ${diskReason(error)}`,
      `Move ${path} out of the sessions folder.`,
    );
  });
  if (text === undefined) return undefined;
  const contents = parseSession(text, path);
  const answers = await Promise.all(answerFiles(path).map((file) => readAnswer(file, processes)));
  const known = new Set(contents.turns.map(({ id }) => id));
  const more = answers.flatMap((answer) =>
    answer && answer !== "unreadable" && answer.turn.content !== "" && !known.has(answer.turn.id)
      ? answer.turn
      : [],
  );
  return { ...contents, turns: [...contents.turns, ...more] };
}

function parseSession(text: string, path: string): Contents {
  const [first = "", ...rest] = text.split("\n");
  const header = headerOf(first);
  if (isForeign(header)) {
    throw new Unavailable(`${path} is not a chat session`, "Move that file out of the sessions folder.");
  }
  if (header.version !== version) {
    throw new Unavailable(
      `${path} has format ${String(header.version)}; this gpuctl reads format ${version}`,
      "Update gpuctl, or start another session with --session NAME.",
    );
  }
  const turns = new Map<string, Turn>();
  const problems: string[] = [];
  for (const [at, line] of rest.entries()) {
    if (line === "") continue;
    const turn = parseTurn(line);
    const isLast = at === rest.length - 1;
    if (turn) turns.set(turn.id, turn);
    else
      problems.push(`${path}: line ${at + 2} ${isLast ? "is cut off" : "cannot be read"} and was skipped.`);
  }
  const process = typeof header.process === "string" ? header.process : undefined;
  return { turns: [...turns.values()], problems, process };
}

/** The fields of the first line. Editors on Windows may put a byte order mark before them. */
const headerOf = (line: string) => asRecord(parseJson(line.replace(/^\ufeff/, "")));

const isForeign = (header: ReturnType<typeof headerOf>): boolean => header.format !== format;

const headerIn = (text: string) => headerOf(text.split("\n", 1)[0] ?? "");

/** Whether a file has contents that are not a session. */
export async function isForeignFile(path: string): Promise<boolean> {
  const text = await orUndefined(readTextFile(path));
  return text !== undefined && text !== "" && isForeign(headerIn(text));
}

/**
 * What can still be read of a file that is no longer a session, for example because the computer lost power: the turns
 * in the file, and the answers next to it. Returns undefined if the file cannot be read, is a session of any version,
 * or has an answer that is still arriving or cannot be read.
 */
export async function turnsOfDamaged(
  path: string,
  processes: Processes,
): Promise<readonly Turn[] | undefined> {
  const text = await orUndefined(readTextFile(path));
  if (text === undefined || !isForeign(headerIn(text))) return undefined;
  const turns = new Map<string, Turn>();
  for (const line of text.split("\n")) {
    const turn = parseTurn(line);
    if (turn) turns.set(turn.id, turn);
  }
  for (const file of answerFiles(path)) {
    const answer = await readAnswer(file, processes);
    if (answer === "unreadable" || answer?.isUnderWay) return undefined;
    if (answer && !turns.has(answer.turn.id)) turns.set(answer.turn.id, answer.turn);
  }
  return [...turns.values()].filter(({ content }) => content !== "");
}

/** Removes the file of a session, and the answers next to it. */
export async function removeFiles(path: string): Promise<void> {
  await rm(path, { force: true });
  for (const file of answerFiles(path)) await rm(file, { force: true });
}

/** Milliseconds. These times are short because an append takes only a few milliseconds. */
const lockTimes = { stale: 5_000, timeout: 10_000 };

const lockedFile = <Value>(path: string, processes: Processes, work: () => Promise<Value>): Promise<Value> =>
  locked(path, work, {
    processes,
    ...lockTimes,
    busy: (lockPath) =>
      new Error(`another process is writing it; if no gpuctl is running, delete ${lockPath}`),
  });

/** Runs `work` while no other process can write the session. Throws `SaveFailed`. */
export async function whileLocked<Value>(
  path: string,
  processes: Processes,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await lockedFile(path, processes, work);
  } catch (error) {
    throw saveFailed(path, error);
  }
}

/**
 * Appends all of the turns to a session, or none if that fails. When the promise resolves, the turns are on disk. Other
 * processes may append at the same time. Returns false if the file is missing or empty. Throws `SaveFailed`.
 */
export const appendTurns = async (
  path: string,
  turns: readonly Turn[],
  processes: Processes,
): Promise<boolean> => (await hasContents(path)) && whileLocked(path, processes, () => append(path, turns));

/** Whether the file at a path exists and is not empty. */
export const hasContents = async (path: string): Promise<boolean> =>
  ((await orUndefined(stat(path)))?.size ?? 0) > 0;

/** Creates the file of a session, or appends to it if another process has just created it. Throws `SaveFailed`. */
export async function createOrAppend(
  path: string,
  turns: readonly Turn[],
  processes: Processes,
): Promise<void> {
  await whileLocked(path, processes, async () => {
    if (!(await append(path, turns))) createFile(path, turns);
  });
}

/** Appends without locking: the caller must hold the lock. Returns false if the file is missing or empty. */
async function append(path: string, turns: readonly Turn[]): Promise<boolean> {
  const file = await open(path, constants.O_RDWR | constants.O_APPEND).catch((error) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw saveFailed(path, error);
  });
  if (file === undefined) return false;
  try {
    const end = await endOf(file);
    if (end === undefined) return false;
    // No command shows the turns in a file that is not a session, so the new turns would be lost.
    if (end === "not a session") throw new SaveFailed(path, "it is no longer a chat session");
    const { keep, separator, size } = end;
    try {
      if (keep < size) await file.truncate(keep);
      await file.appendFile(`${separator}${lines(turns)}`);
      await file.sync();
    } catch (error) {
      await file.truncate(keep).catch(() => {});
      throw saveFailed(path, error);
    }
    return true;
  } finally {
    await file.close();
  }
}

/** In bytes. The first line of a session is always shorter. */
const maxHeader = 4_096;

/**
 * Returns the size of the file, how many bytes to keep before an append (all except a truncated last line), and what to
 * write before the new lines. Returns undefined for an empty file, and "not a session" if the first line is not that of
 * a session of this version.
 */
async function endOf(file: FileHandle) {
  const { size } = await file.stat();
  if (size === 0) return undefined;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(maxHeader), 0, maxHeader, 0);
  const [header = ""] = buffer.toString("utf8", 0, bytesRead).split("\n", 1);
  const { format: found, version: foundVersion } = headerOf(header);
  if (found !== format || foundVersion !== version) return "not a session";
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  if (last.toString() === "\n") return { size, keep: size, separator: "" };
  const text = await file.readFile();
  const start = text.lastIndexOf("\n") + 1;
  const isWhole = start === 0 || parseTurn(text.subarray(start).toString()) !== undefined;
  return isWhole ? { size, keep: size, separator: "\n" } : { size, keep: start, separator: "" };
}

/** Renames the file of a session. Returns false if there is no file. Throws `SaveFailed`. */
export async function moveFile(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw saveFailed(to, error);
  }
}

/**
 * Renames the file of a session, if there is one. Never replaces another session, which may be created at the same
 * time. Returns false if the name is taken. Throws `SaveFailed`.
 */
export const moveToFree = (from: string, to: string, processes: Processes): Promise<boolean> =>
  whileLocked(to, processes, async () => {
    if (await orUndefined(stat(to))) return false;
    await moveFile(from, to);
    return true;
  });

/** Creates the file of a session, unless there is one already. Returns whether it was created. Throws `SaveFailed`. */
export const createFree = (path: string, turns: readonly Turn[], processes: Processes): Promise<boolean> =>
  whileLocked(path, processes, async () => {
    if (await orUndefined(stat(path))) return false;
    createFile(path, turns);
    return true;
  });

/**
 * Takes the answers whose process has ended, and stores them in the session as incomplete. Returns whether any answer
 * file was removed, even an empty one. Leaves an unreadable answer file unchanged. If the file of a stored answer was
 * modified later than the session's file, the session's file gets the modification time of the answer's file.
 * `settleQuestion` compares these times: if two processes were killed, the question whose answer arrived later becomes
 * the session named "last". Throws `SaveFailed`.
 */
export async function collectAnswers(path: string, processes: Processes): Promise<boolean> {
  let collected = false;
  for (const file of answerFiles(path)) {
    const answer = await readAnswer(file, processes);
    if (answer === "unreadable" || answer?.isUnderWay) continue;
    collected = (await whileLocked(path, processes, () => collect(file, path, processes))) || collected;
  }
  return collected;
}

/** Takes one answer. The caller must hold the lock. Returns false if the file must stay as it is. */
async function collect(file: string, path: string, processes: Processes): Promise<boolean> {
  const answer = await readAnswer(file, processes);
  if (answer === "unreadable" || answer?.isUnderWay) return false;
  if (answer && answer.turn.content !== "") {
    const [answered, own] = await Promise.all([stat(file), orUndefined(stat(path))]);
    const written = Math.max(answered.mtimeMs, own?.mtimeMs ?? 0) / 1000;
    if (!(await append(path, [answer.turn]))) createFile(path, [answer.turn]);
    // The answer is stored even if the time cannot be set.
    await orUndefined(utimes(path, written, written));
  }
  await rm(file, { force: true });
  return true;
}
