import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, diskReason, UsageError } from "../core/errors.ts";
import type { Processes } from "../core/tasks/lock.ts";

/** Where and how sessions are stored. */
export interface SessionPlace {
  readonly folder: string;
  readonly processes: Processes;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns a name for a session that the user did not name, based on its first message. */
  readonly nameFor: (message: string, date: Date) => string;
}

/** The name of the session that holds the last question that was asked without a session. */
export const lastQuestion = "last";

export const sessionSuffix = ".jsonl";

export const sessionPath = (folder: string, name: string): string => join(folder, `${name}${sessionSuffix}`);

const maxCharacters = 64;
const maxBytes = 200;

/** Returns what is wrong with a session name, or undefined if it is valid. Every valid name is safe as a file name. */
export function nameProblem(name: string): string | undefined {
  if (!/^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]*$/u.test(name) || [...name].length > maxCharacters) {
    return `A session name has 1 to ${maxCharacters} characters: letters, digits, "-", "_" and ".". It starts with a letter, a digit or "_".`;
  }
  if (Buffer.byteLength(name) > maxBytes) return `A session name has at most ${maxBytes} bytes in UTF-8.`;
  const [, reserved] = /^(con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.exec(name) ?? [];
  return reserved && `${JSON.stringify(reserved)} is the name of a device on Windows.`;
}

/** Returns the name if it is valid. Otherwise throws `UsageError`. */
function validName(name: string): string {
  const problem = nameProblem(name);
  if (problem === undefined) return name;
  throw new UsageError(`${JSON.stringify(name)} is not a valid session name`, { hint: problem });
}

/**
 * Whether a name differs from "last" only in case. On a disk that ignores case, a session with that name would be the
 * same file as "last", which the next question replaces.
 */
const isLikeLast = (name: string): boolean =>
  name !== lastQuestion && name.toUpperCase() === lastQuestion.toUpperCase();

/** Returns the name if a session can be created with it. Otherwise throws `UsageError`. */
export function newName(name: string): string {
  if (!isLikeLast(validName(name))) return name;
  throw reservedName(name);
}

export const reservedName = (name: string): UsageError =>
  new UsageError(`a new session cannot be named ${JSON.stringify(name)}`, {
    hint: `"${lastQuestion}" holds the last question that was asked without a session.`,
  });

/** Returns the name if there is such a session, or if one can be created. Otherwise throws `UsageError`. */
export async function nameToOpen(folder: string, name: string): Promise<string> {
  const exists = isLikeLast(validName(name)) && (await filesIn(folder)).includes(`${name}${sessionSuffix}`);
  return exists ? name : newName(name);
}

/** The folder with the sessions, inside the state folder. */
export const sessionsFolder = (state: string): string => join(state, "chat-sessions");

/** Milliseconds that the clock of a shared disk may be ahead. */
const maxAhead = 60_000;

/**
 * The names of the sessions in a folder, most recently used first. Sessions whose time is in the future, because the
 * clock was set back, come last. Otherwise, `--continue` would pick such a session until that time has come.
 */
export async function sessionNames(folder: string): Promise<readonly string[]> {
  const files = (await filesIn(folder)).filter((file) => file.endsWith(sessionSuffix));
  const latest = Date.now() + maxAhead;
  const found = await Promise.all(
    files.map(async (file) => {
      const facts = await orUndefined(stat(join(folder, file)));
      const used = facts?.isFile() ? facts.mtimeMs : 0;
      return { name: file.slice(0, -sessionSuffix.length), used: used > latest ? 1 : used };
    }),
  );
  return found
    .filter(({ name, used }) => used > 0 && nameProblem(name) === undefined)
    .sort((a, b) => b.used - a.used || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

/** The names of the files in a folder; none if there is no folder. Throws `UsageError` if it cannot be read. */
export async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw new UsageError(`the chat sessions in ${folder} cannot be read: ${diskReason(error)}`, {
      hint: "Check the folder, or set GPUCTL_STATE_DIR to another folder.",
    });
  }
}

/** Returns a new random ID. */
export const newId = (): string => crypto.randomUUID().replaceAll("-", "").slice(0, 12);

export const orUndefined = <Value>(work: Promise<Value>): Promise<Value | undefined> =>
  work.catch(() => undefined);

/** Returns a name that no session has: `wanted`, or `wanted-2`, `wanted-3` and so on. */
export async function freeName(folder: string, wanted: string): Promise<string> {
  for (let count = 1; ; count++) {
    const name = count === 1 ? wanted : `${wanted}-${count}`;
    if ((await orUndefined(stat(sessionPath(folder, name)))) === undefined) return name;
  }
}
