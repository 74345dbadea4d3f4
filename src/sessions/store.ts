import { stat } from "node:fs/promises";
import { isDiskFull, NotFound, saveFailed, UsageError } from "../core/errors.ts";
import { collectAnswers, hasContents, moveToFree, readSession, removeFiles, whileLocked } from "./file.ts";
import { type OpenSession, openSession } from "./open.ts";
import {
  freeName,
  lastQuestion,
  nameProblem,
  nameToOpen,
  orUndefined,
  type SessionPlace,
  sessionNames,
  sessionPath,
} from "./place.ts";
import { newQuestionPath, settleQuestions } from "./question.ts";
import { type Turn, textOf } from "./turn.ts";

/** A session as it is stored. */
export interface StoredSession {
  readonly name: string;
  readonly turns: readonly Turn[];
  /** Messages for the user about lines that cannot be read. */
  readonly problems: readonly string[];
}

export interface Sessions {
  /** The names of all sessions, most recently used first. */
  readonly names: () => Promise<readonly string[]>;
  /**
   * Reads a session. Throws `NotFound` if it does not exist, and `Unavailable` if its file cannot be read, is not a
   * session, or has another format version.
   */
  readonly read: (name: string) => Promise<StoredSession>;
  /**
   * Opens a session to add turns to it. A new session is created with its first turn. Throws `UsageError` if the name
   * is invalid, `NotFound` if "last" does not exist, `Unavailable` as `read` does, and `SaveFailed` if the session
   * cannot be changed.
   */
  readonly open: (name: string) => Promise<OpenSession>;
  /** The name of the most recently used session. Throws `NotFound` if there are no sessions. */
  readonly latest: () => Promise<string>;
  /** Like `open`, but only for reading. Changes no file. If there is no session "last", returns an empty one. */
  readonly peek: (name: string) => Promise<OpenSession>;
  /** Returns a new session, which gets its name from its first message. */
  readonly create: () => OpenSession;
  /**
   * Returns the session for a question that is asked without a session. Once the question is answered, this session is
   * named "last".
   */
  readonly question: () => OpenSession;
  /** Removes a session. Throws `NotFound` if it does not exist, and `UsageError` if it cannot be removed. */
  readonly remove: (name: string) => Promise<void>;
}

export function createSessions(place: SessionPlace): Sessions {
  const { folder, processes } = place;
  const names = async () => {
    await settleQuestions(place);
    return sessionNames(folder);
  };
  const contentsOf = (name: string) =>
    nameProblem(name) === undefined ? readSession(sessionPath(folder, name), processes) : undefined;
  const read = async (name: string): Promise<StoredSession> => {
    if (name === lastQuestion) await settleQuestions(place);
    const contents = await contentsOf(name);
    if (contents === undefined) throw noSession(name);
    return { name, ...contents };
  };
  const openNamed = async (name: string): Promise<OpenSession> => {
    const before = await contentsOf(name);
    if (before === undefined) return openSession(place, { name });
    const collected = await collectAnswers(sessionPath(folder, name), processes);
    const { turns } = collected ? await read(name) : before;
    return openSession(place, { name, turns, problems: before.problems });
  };
  /** Renames "last" before it is continued, so that the next question cannot replace it. */
  const openLast = async (): Promise<OpenSession> => {
    const { turns } = await read(lastQuestion);
    const question = turns.find(({ role }) => role === "user");
    const asked = Date.parse(question?.time ?? "");
    const date = new Date(Number.isNaN(asked) ? place.now() : asked);
    for (;;) {
      const name = await freeName(folder, place.nameFor(textOf(question?.content ?? ""), date));
      const path = sessionPath(folder, name);
      if (!(await moveToFree(sessionPath(folder, lastQuestion), path, processes))) continue;
      // Another process may have renamed "last" first. Do not start a new session without its turns.
      if (!(await hasContents(path))) throw noSession(lastQuestion);
      return openNamed(name);
    }
  };
  const open = async (name: string): Promise<OpenSession> => {
    return (await nameToOpen(folder, name)) === lastQuestion ? openLast() : openNamed(name);
  };
  return {
    names,
    read,
    open,
    latest: async () => {
      const [name] = await names();
      if (name !== undefined) return name;
      throw new NotFound("there are no sessions", {
        request: null,
        hint: "Start one with `gpuctl chat MESSAGE`, or with --session NAME.",
      });
    },
    peek: async (name) => openSession(place, { name, ...(await contentsOf(await nameToOpen(folder, name))) }),
    create: () => openSession(place, {}),
    question: () => openSession(place, { name: lastQuestion, path: newQuestionPath(place) }),
    remove: async (name) => {
      const path = sessionPath(folder, name);
      if (nameProblem(name) !== undefined || !(await orUndefined(stat(path)))) throw noSession(name);
      const remove = () => removeFiles(path);
      try {
        await whileLocked(path, processes, remove).catch((error) => {
          // A lock needs space on the disk. Removing a session makes some.
          if (!isDiskFull(error)) throw error;
          return remove();
        });
      } catch (error) {
        throw new UsageError(`cannot remove ${path}: ${saveFailed(path, error).reason}`);
      }
    },
  };
}

const noSession = (name: string): NotFound =>
  new NotFound(`no session ${JSON.stringify(name)}`, {
    request: null,
    hint: "`gpuctl chat sessions list` shows the sessions.",
  });
