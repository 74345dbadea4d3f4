import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { SaveFailed } from "../core/errors.ts";
import type { Processes } from "../core/tasks/lock.ts";
import { answerFiles, mayWrite } from "./answer.ts";
import {
  collectAnswers,
  createFree,
  moveFile,
  moveToFree,
  readSession,
  removeFiles,
  turnsOfDamaged,
  whileLocked,
} from "./file.ts";
import {
  filesIn,
  freeName,
  lastQuestion,
  newId,
  orUndefined,
  type SessionPlace,
  sessionPath,
  sessionSuffix,
} from "./place.ts";
import { lastAnswer } from "./turn.ts";

/**
 * A question without a session gets its own file, so that several processes can ask at the same time. Once the
 * question is answered, its file replaces the session "last".
 */
const questionSuffix = ".question";

export const newQuestionPath = ({ folder }: SessionPlace): string =>
  join(folder, `${lastQuestion}${sessionSuffix}.${newId()}${questionSuffix}`);

export const isQuestion = (path: string): boolean => path.endsWith(questionSuffix);

/**
 * Renames the file of a question to "last" if the question has an answer and the current "last" is not newer.
 * Otherwise, deletes the file. Leaves an unreadable file unchanged, because it may hold an answer.
 */
export async function settleQuestion(path: string, folder: string): Promise<void> {
  const contents = await orUndefined(readSession(path, noProcesses));
  if (contents === undefined) return;
  const isAnswered = contents.turns.some(({ role }) => role === "assistant");
  if (isAnswered && !(await isLastNewer(path, folder)))
    await moveFile(path, sessionPath(folder, lastQuestion));
  else await rm(path, { force: true });
}

async function isLastNewer(path: string, folder: string): Promise<boolean> {
  const files = [path, sessionPath(folder, lastQuestion)];
  const [own, last] = await Promise.all(files.map((one) => orUndefined(stat(one))));
  // After the clock was set back, the time of "last" may be in the future. Then "last" does not count as newer, so that
  // the answer to this question replaces it, and is not deleted.
  const isPast = last !== undefined && last.mtimeMs <= Date.now();
  return own !== undefined && isPast && last.mtimeMs > own.mtimeMs;
}

const noProcesses: Processes = { self: "", isRunning: () => false, isHere: () => true };

/**
 * The name of a session for a question that was left behind and cannot become "last", because its file is damaged or a
 * later question was answered.
 */
const recovered = "recovered";

/**
 * Settles the questions left behind by processes that were killed. A question that cannot be settled, for example
 * because the disk is full, is left unchanged: the other sessions do not depend on it.
 */
export async function settleQuestions(place: SessionPlace): Promise<void> {
  const { folder } = place;
  const paths = (await filesIn(folder)).filter(isQuestion).map((name) => join(folder, name));
  const questions = await Promise.all(paths.map(async (path) => ({ path, written: await writtenAt(path) })));
  // The latest question becomes "last" before the others are compared with it.
  for (const { path } of questions.sort((a, b) => b.written - a.written)) {
    await settleLeftBehind(path, place).catch((error) => {
      if (!(error instanceof SaveFailed)) throw error;
    });
  }
}

/** When a question or its answer was written last. */
async function writtenAt(path: string): Promise<number> {
  const found = await Promise.all([path, ...answerFiles(path)].map((file) => orUndefined(stat(file))));
  return Math.max(...found.map((facts) => facts?.mtimeMs ?? 0));
}

async function settleLeftBehind(path: string, place: SessionPlace): Promise<void> {
  const { folder, processes } = place;
  const contents = await orUndefined(readSession(path, processes));
  if (contents === undefined) return recover(path, place);
  if (contents.process !== undefined && (await mayWrite(contents.process, path, processes))) return;
  await collectAnswers(path, processes);
  // An answer file is found by the name of its question, so the question keeps its name while it has such a file.
  if (answerFiles(path).length > 0) return;
  const turns = (await orUndefined(readSession(path, processes)))?.turns ?? [];
  if (lastAnswer(turns) && (await isLastNewer(path, folder))) await moveToRecovered(path, place);
  else await settleQuestion(path, folder);
}

/** Moves an answer, which was perhaps never shown, to its own session, because a later question has become "last". */
async function moveToRecovered(path: string, { folder, processes }: SessionPlace): Promise<void> {
  const move = async () =>
    moveToFree(path, sessionPath(folder, await freeName(folder, recovered)), processes);
  while (!(await move()));
}

/**
 * Replaces a damaged file with a session that has the turns that can still be read. This session is not named "last",
 * because the next question would replace it. If no answer can be read, only removes the file. Does nothing if
 * `turnsOfDamaged` returns undefined.
 */
const recover = (path: string, { folder, processes }: SessionPlace): Promise<void> =>
  whileLocked(path, processes, async () => {
    const turns = await turnsOfDamaged(path, processes);
    if (turns === undefined) return;
    if (lastAnswer(turns)) {
      const create = async () =>
        createFree(sessionPath(folder, await freeName(folder, recovered)), turns, processes);
      while (!(await create()));
    }
    await removeFiles(path);
  });
