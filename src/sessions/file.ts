import { constants } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { codeOf, reasonOf, saveFailed, Unavailable } from "../core/errors.ts";
import { readTextFile, writePrivateFile } from "../core/files.ts";
import { asRecord, parseJson } from "../core/json.ts";
import { locked, type Processes } from "../core/tasks/lock.ts";
import { answerFiles, readAnswer } from "./answer.ts";
import { parseTurn, type Turn } from "./turn.ts";

/** The version of the format. A file of another version is not read. */
const version = 1;

/** Mark of the first line of a session's file. */
const format = "gpuctl-chat-session";

/** What the file of a session holds. */
export interface Contents {
  /** In the order in which they were stored. */
  readonly turns: readonly Turn[];
  /** What a reader has to know about lines that cannot be read; empty for none. */
  readonly problems: readonly string[];
  /** The process that writes the file, for a question that is still being answered. */
  readonly process: string | undefined;
}

/** The text of a new file with its first turns. */
const newFile = (turns: readonly Turn[], process?: string): string =>
  lines([{ format, version, ...(process !== undefined && { process }) }, ...turns]);

const lines = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");

/** Creates the file of a session. Throws `SaveFailed`. */
export function createFile(path: string, turns: readonly Turn[], process?: string): void {
  try {
    writePrivateFile(path, newFile(turns, process));
  } catch (error) {
    throw saveFailed(path, error);
  }
}

/**
 * Reads a session and the answers that are under way or were never finished. Lines that cannot be read are left out.
 * Undefined if there is no file. Throws `Unavailable` for a file of another version, or one that
 * cannot be read or is not a session.
 */
export async function readSession(path: string, processes: Processes): Promise<Contents | undefined> {
  const text = await readTextFile(path).catch((error) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new Unavailable(
      `the chat session cannot be read: ${reasonOf(error)}`,
      `Move ${path} out of the sessions folder.`,
    );
  });
  if (text === undefined) return undefined;
  const contents = parseSession(text, path);
  const answers = await Promise.all(answerFiles(path).map((file) => readAnswer(file, processes)));
  const known = new Set(contents.turns.map(({ id }) => id));
  const more = answers.flatMap((answer) =>
    answer && answer.turn.content !== "" && !known.has(answer.turn.id) ? answer.turn : [],
  );
  return { ...contents, turns: [...contents.turns, ...more] };
}

function parseSession(text: string, path: string): Contents {
  const [first = "", ...rest] = text.split("\n");
  const header = asRecord(parseJson(first));
  if (header.format !== format) {
    throw new Unavailable(`${path} is not a chat session`, "Move it out of the sessions folder.");
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

/** An append takes milliseconds. */
const lockTimes = { stale: 5_000, timeout: 10_000 };

const lockedFile = <Value>(path: string, processes: Processes, work: () => Promise<Value>): Promise<Value> =>
  locked(path, work, {
    processes,
    ...lockTimes,
    busy: (lockPath) =>
      new Error(`another process is writing it; if no gpuctl is running, delete ${lockPath}`),
  });

/** Does some work while no other process writes the session. Throws `SaveFailed`. */
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
 * Appends turns to a session: all of them or, when it fails, none. They are on the disk when it returns. Another process
 * may append at the same time. Throws `SaveFailed`.
 */
export const appendTurns = (path: string, turns: readonly Turn[], processes: Processes): Promise<void> =>
  whileLocked(path, processes, () => append(path, turns));

/** Appends without locking: the caller must hold the lock. */
async function append(path: string, turns: readonly Turn[]): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_APPEND).catch((error) => {
    throw saveFailed(path, error);
  });
  try {
    const { keep, separator, size } = await endOf(file);
    try {
      if (keep < size) await file.truncate(keep);
      await file.appendFile(`${separator}${lines(turns)}`);
      await file.sync();
    } catch (error) {
      await file.truncate(keep).catch(() => {});
      throw saveFailed(path, error);
    }
  } finally {
    await file.close();
  }
}

/** How many bytes to keep before appending: all but a truncated last line. */
async function endOf(file: FileHandle) {
  const { size } = await file.stat();
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  if (last.toString() === "\n") return { size, keep: size, separator: "" };
  const text = await file.readFile();
  const start = text.lastIndexOf("\n") + 1;
  const isWhole = parseTurn(text.subarray(start).toString()) !== undefined;
  return isWhole ? { size, keep: size, separator: "\n" } : { size, keep: start, separator: "" };
}

/** Gives the file of a session another name, and returns whether it was there. Throws `SaveFailed`. */
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
 * Adds the answers that ended processes left behind to the session, marked as incomplete, and returns whether there
 * were any. Throws `SaveFailed`.
 */
export async function collectAnswers(path: string, processes: Processes): Promise<boolean> {
  let collected = false;
  for (const file of answerFiles(path)) {
    if ((await readAnswer(file, processes))?.isUnderWay) continue;
    await whileLocked(path, processes, async () => {
      const answer = await readAnswer(file, processes);
      if (answer && answer.turn.content !== "") await append(path, [answer.turn]);
      await rm(file, { force: true });
    });
    collected = true;
  }
  return collected;
}
