import { appendFileSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { assertFile, makeFolderSync, writePrivateFile } from "../core/files.ts";

/** Maximum number of entries that the Up key shows in a conversation. */
const maxEntries = 1_000;

/** The messages and commands that the user entered in conversations. A file in the state folder keeps them. */
export interface History {
  /** Oldest first. */
  readonly entries: readonly string[];
  /** Adds an entry. Does not throw if the file cannot be written, because the conversation matters more. */
  readonly add: (entry: string) => void;
}

export function openHistory(state: string): History {
  const path = join(state, "chat-history.jsonl");
  const entries = entriesIn(path);
  // Rewriting the file could lose entries that another terminal adds at the same time, so it is done only rarely.
  if (entries.length > 2 * maxEntries) {
    ignoringErrors(() => writePrivateFile(path, entries.slice(-maxEntries).map(lineOf).join("")));
  }
  return {
    entries: entries.slice(-maxEntries),
    add: (entry) =>
      ignoringErrors(() => {
        makeFolderSync(dirname(path), 0o700);
        assertFile(path);
        appendFileSync(path, lineOf(entry), { mode: 0o600 });
      }),
  };
}

const lineOf = (entry: string): string => `${JSON.stringify(entry)}\n`;

function entriesIn(path: string): readonly string[] {
  try {
    assertFile(path);
    return readFileSync(path, "utf8").split("\n").flatMap(entryOf);
  } catch {
    return [];
  }
}

function entryOf(line: string): readonly string[] {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === "string" ? [entry] : [];
  } catch {
    return [];
  }
}

function ignoringErrors(work: () => void): void {
  try {
    work();
  } catch {}
}
