import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Processes } from "../core/tasks/lock.ts";
import { mayWrite } from "./answer.ts";
import { collectAnswers, moveFile, readSession } from "./file.ts";
import {
  filesIn,
  lastQuestion,
  newId,
  orUndefined,
  type SessionPlace,
  sessionPath,
  sessionSuffix,
} from "./place.ts";

/**
 * A question asked without a session gets its own file, so that several processes can ask at the same time. Once the
 * question is answered, its file replaces the session "last".
 */
const questionSuffix = ".question";

export const newQuestionPath = ({ folder }: SessionPlace): string =>
  join(folder, `${lastQuestion}${sessionSuffix}.${newId()}${questionSuffix}`);

export const isQuestion = (path: string): boolean => path.endsWith(questionSuffix);

/**
 * Renames the file of an answered question to "last". Deletes it if the question has no answer, or if "last" is newer.
 */
export async function settleQuestion(path: string, folder: string): Promise<void> {
  const last = sessionPath(folder, lastQuestion);
  const [own, other] = await Promise.all([path, last].map((one) => orUndefined(stat(one))));
  if (own === undefined) return;
  const turns = (await orUndefined(readSession(path, noProcesses)))?.turns ?? [];
  const isAnswered = turns.some(({ role }) => role === "assistant");
  if (isAnswered && own.mtimeMs >= (other?.mtimeMs ?? 0)) await moveFile(path, last);
  else await rm(path, { force: true });
}

const noProcesses: Processes = { self: "", isRunning: () => false, isHere: () => true };

/** Settles the questions left behind by processes that were killed. */
export async function settleQuestions({ folder, processes }: SessionPlace): Promise<void> {
  const questions = (await filesIn(folder)).filter(isQuestion);
  for (const path of questions.map((name) => join(folder, name))) {
    const contents = await orUndefined(readSession(path, processes));
    if (contents?.process !== undefined && (await mayWrite(contents.process, path, processes))) continue;
    await collectAnswers(path, processes);
    await settleQuestion(path, folder);
  }
}
