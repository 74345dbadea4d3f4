import { closeSync, openSync, readdirSync, writeSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../core/errors.ts";
import { readTextFile } from "../core/files.ts";
import { asRecord, parseJson } from "../core/json.ts";
import type { Processes } from "../core/tasks/lock.ts";
import { isTurn, type Turn } from "./turn.ts";

/** An answer that is not stored in the session yet. It is read from its own file next to the session's file. */
interface Answer {
  readonly turn: Turn;
  readonly isUnderWay: boolean;
}

/** Returns the paths of a session's answer files. Each holds an answer that is not stored in the session yet. */
export function answerFiles(session: string): readonly string[] {
  const prefix = `${basename(session)}.`;
  return readdirSync(dirname(session))
    .filter((name) => name.startsWith(prefix) && /^\w+\.answer$/.test(name.slice(prefix.length)))
    .map((name) => join(dirname(session), name));
}

/** A process that cannot be checked counts as ended if its file has not changed for this many milliseconds. */
const stale = 60 * 60_000;

/** Whether the process that writes a file may still be running. */
export async function mayWrite(
  process: string,
  path: string,
  { isRunning, isHere }: Processes,
): Promise<boolean> {
  if (!isRunning(process)) return false;
  if (isHere(process)) return true;
  const file = await stat(path).catch(() => undefined);
  return file !== undefined && Date.now() - file.mtimeMs < stale;
}

/**
 * Reads an answer file. Returns undefined if it is missing or holds no answer, and "unreadable" if it may hold one but
 * cannot be read now, for example because too many files are open. An unreadable file must not be removed.
 */
export async function readAnswer(
  path: string,
  processes: Processes,
): Promise<Answer | "unreadable" | undefined> {
  const text = await readTextFile(path).catch((error) => (codeOf(error) === "ENOENT" ? "" : undefined));
  if (text === undefined) return "unreadable";
  // The last line may be cut off.
  const [first = "", ...pieces] = text.split("\n").slice(0, -1);
  const { process, turn: start } = asRecord(parseJson(first));
  const content = pieces.map((piece) => parseJson(piece)).filter((piece) => typeof piece === "string");
  const isUnderWay = typeof process === "string" && (await mayWrite(process, path, processes));
  const turn = {
    ...asRecord(start),
    content: content.join(""),
    incomplete: isUnderWay ? "still being received" : "gpuctl ended before the answer was stored",
  };
  return isTurn(turn) ? { turn, isUnderWay } : undefined;
}

/**
 * The file of an answer that is arriving. Pieces are written while they arrive, so that a process that is killed loses
 * only the last few.
 */
export interface AnswerFile {
  readonly add: (text: string) => void;
  readonly remove: () => Promise<void>;
}

/** Pieces are collected, and written at most once in this many milliseconds. */
const writeInterval = 50;

/** Creates the file of an answer. If the file cannot be written, the answer is stored only when it ends. */
export function startAnswer(session: string, turn: Omit<Turn, "content">, { self }: Processes): AnswerFile {
  const path = `${session}.${turn.id}.answer`;
  let fd = attempt(() => openSync(path, "wx", 0o600));
  let pieces = "";
  let timer: NodeJS.Timeout | undefined;
  let written = Number.NEGATIVE_INFINITY;
  const write = (line: object | string) => {
    if (fd === undefined) return;
    const text = `${JSON.stringify(line)}\n`;
    const isWritten = attempt(() => writeSync(fd ?? -1, text)) === Buffer.byteLength(text);
    if (!isWritten) close();
  };
  const close = () => {
    if (fd !== undefined) closeSync(fd);
    fd = undefined;
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    written = performance.now();
    write(pieces);
    pieces = "";
  };
  write({ process: self, turn });
  return {
    add: (text) => {
      pieces += text;
      if (performance.now() - written >= writeInterval) flush();
      else timer ??= setTimeout(flush, writeInterval).unref();
    },
    remove: async () => {
      clearTimeout(timer);
      close();
      await rm(path, { force: true }).catch(() => {});
    },
  };
}

function attempt<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
