import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { saveFailed, UsageError } from "../core/errors.ts";
import { makeFolderSync } from "../core/files.ts";
import { type AnswerFile, startAnswer } from "./answer.ts";
import {
  appendTurns,
  createFile,
  createFree,
  createOrAppend,
  hasContents,
  isForeignFile,
  moveToFree,
  whileLocked,
} from "./file.ts";
import {
  freeName,
  lastQuestion,
  newId,
  newName,
  orUndefined,
  reservedName,
  type SessionPlace,
  sessionPath,
} from "./place.ts";
import { isQuestion, settleQuestion } from "./question.ts";
import { type Content, chainTo, lastAnswer, type Message, messagesOf, type Turn, textOf } from "./turn.ts";

/** An open session and this process's position in it. Other processes may be at other positions. */
export interface OpenSession {
  /** The name of the session. If the user did not name it, undefined until the first turn. */
  readonly name: () => string | undefined;
  /** All turns, in the order in which they were stored. */
  readonly turns: () => readonly Turn[];
  /** The turns of the conversation so far. */
  readonly chain: () => readonly Turn[];
  /** The conversation so far, as it is sent to the service. */
  readonly messages: () => readonly Message[];
  /** Messages for the user about lines that cannot be read. */
  readonly problems: readonly string[];
  /** Starts a new conversation in the same session. The file keeps the earlier turns. */
  readonly clear: () => void;
  /**
   * Goes back to the position before the last question, and returns that question. Returns undefined if there is none
   * since the last `clear`. If the next question gets no answer, the conversation continues where it was before.
   */
  readonly takeBack: () => Turn | undefined;
  /** Stores a question, and the instructions `system` if they differ from the current ones. Throws `SaveFailed`. */
  readonly ask: (content: Content, system?: string) => Promise<Question>;
  /**
   * Renames the session, and stores the answers that could not be stored yet. Throws `UsageError` if the name is taken
   * or invalid, and `SaveFailed` if an answer cannot be stored or the file cannot be renamed. In all these cases, the
   * session keeps its name.
   */
  readonly rename: (name: string) => Promise<void>;
}

/** A stored question whose answer is arriving. */
export interface Question {
  /** Keeps a piece of the answer, in case this process is killed. */
  readonly add: (text: string) => void;
  /**
   * Stores the answer. Without an answer, the question stays unanswered. If the answer cannot be stored, throws
   * `SaveFailed`, and the answer is stored together with the next turn.
   */
  readonly end: (answer?: Answer) => Promise<void>;
}

/** An answer with everything that is known about it, such as its model and its cost. */
export type Answer = Pick<Turn, "content" | "model" | "finish" | "usage" | "cost" | "sandbox" | "incomplete">;

interface OpenOptions {
  /** Undefined if the session gets its name from its first message. */
  readonly name?: string;
  readonly path?: string;
  /** The turns already stored. If there are none, the first turn creates the file. */
  readonly turns?: readonly Turn[];
  readonly problems?: readonly string[];
}

export function openSession(
  place: SessionPlace,
  { turns: stored = [], problems = [], ...options }: OpenOptions,
): OpenSession {
  const { folder, processes } = place;
  const turns = [...stored];
  let exists = stored.length > 0;
  let { name, path = name && sessionPath(folder, name) } = options;
  let head = endOf(turns);
  let last = turns.findLast(({ role }) => role === "user");
  /** Where the conversation was before `takeBack`, until the next question. */
  let before: { readonly head: string | null } | undefined;
  const chain = () => chainTo(head, turns);
  const newTurn = (role: Turn["role"], parent: string | null, content: Content): Turn => ({
    id: newId(),
    parent,
    time: timeOf(place),
    role,
    content,
  });
  const pathFor = async (content: Content): Promise<string> => {
    name ??= await freeName(folder, place.nameFor(textOf(content), new Date(place.now())));
    path ??= sessionPath(folder, name);
    return path;
  };
  /** Answers that could not be stored yet, and the files that keep them. */
  const pending: { readonly turn: Turn; readonly file: AnswerFile }[] = [];
  const removePending = async () => {
    for (const { file } of pending.splice(0)) await file.remove();
  };
  const store = async (to: string, added: readonly Turn[]) => {
    const all = [...pending.map(({ turn }) => turn), ...added];
    const isStored = exists && (await appendTurns(to, all, processes));
    // If the file was removed in the meantime, this process has the only copy of the turns.
    if (!isStored) await create(to, [...turns, ...added], place);
    exists = true;
    turns.push(...added);
    await removePending();
  };
  return {
    name: () => name,
    turns: () => turns,
    chain,
    messages: () => messagesOf(chain()),
    problems,
    clear: () => {
      head = null;
      last = undefined;
      before = undefined;
    },
    takeBack: () => {
      if (last) {
        before = { head };
        head = last.parent;
      }
      return last;
    },
    ask: async (content, system) => {
      const known = chain().findLast(({ role }) => role === "system")?.content;
      const isNew = system !== undefined && system !== known;
      const instructions = isNew ? [newTurn("system", head, system)] : [];
      const question = newTurn("user", instructions[0]?.id ?? head, content);
      // If the question cannot be stored, `takeBack` returns it and goes back to this position.
      last = { ...question, parent: head };
      const taken = before;
      before = undefined;
      const goBack = () => {
        if (taken) head = taken.head;
      };
      const to = await pathFor(content);
      try {
        await store(to, [...instructions, question]);
      } catch (error) {
        goBack();
        throw error;
      }
      last = question;
      const start = { id: newId(), parent: question.id, role: "assistant" } as const;
      const file = startAnswer(to, { ...start, time: timeOf(place) }, processes);
      return {
        add: file.add,
        end: async (answer) => {
          if (!answer || textOf(answer.content) === "") goBack();
          if (answer) {
            const turn = { ...start, time: timeOf(place), ...answer };
            turns.push(turn);
            if (textOf(turn.content) !== "") head = turn.id;
            pending.push({ turn, file });
            await store(to, []);
          } else {
            await file.remove();
          }
          if (isQuestion(to)) await settleQuestion(to, folder);
        },
      };
    },
    rename: async (wanted) => {
      const to = sessionPath(folder, newName(wanted));
      const taken = () => new UsageError(`there is already a session ${JSON.stringify(wanted)}`);
      if (wanted === lastQuestion) throw reservedName(wanted);
      if (await orUndefined(stat(to))) throw taken();
      const from = path;
      if (exists && from) {
        makeSessionsFolder(from);
        // A file that is no longer a session is not changed.
        const isForeign = await isForeignFile(from);
        // The files of pending answers have the old name, so they would not be found under the new one.
        if (!isForeign && pending.length > 0) await store(from, []);
        const isRenamed = isForeign
          ? await createFree(to, turns, processes)
          : await whileLocked(from, processes, () => moveToFree(from, to, processes));
        if (!isRenamed) throw taken();
        // If the file was removed or emptied in the meantime, this process has the only copy of the turns.
        if (!(await hasContents(to))) await create(to, turns, place);
        await removePending();
      }
      name = wanted;
      path = to;
    },
  };
}

/** Where a stored session continues: after its last answer, and after the instructions that were stored since then. */
function endOf(turns: readonly Turn[]): string | null {
  let end = lastAnswer(turns)?.id ?? null;
  const later = new Set([end]);
  for (const { id, role, parent } of turns) {
    if (role !== "system" || !later.has(parent)) continue;
    later.add(id);
    end = id;
  }
  return end;
}

const timeOf = ({ now }: SessionPlace): string => new Date(now()).toISOString();

/** Creates the file of a session. If another process has just created it, appends to it instead. */
async function create(path: string, turns: readonly Turn[], { processes }: SessionPlace): Promise<void> {
  makeSessionsFolder(path);
  if (isQuestion(path)) createFile(path, turns, processes.self);
  else await createOrAppend(path, turns, processes);
}

function makeSessionsFolder(path: string): void {
  try {
    makeFolderSync(dirname(path), 0o700);
  } catch (error) {
    throw saveFailed(path, error);
  }
}
