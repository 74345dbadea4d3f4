import process from "node:process";
import { createInterface, type Interface } from "node:readline";
import { PassThrough } from "node:stream";
import { Interrupted } from "../core/errors.ts";
import { interruptionSignals } from "./interruption.ts";
import { assertStdinOpen, terminalParts as parts, passKey } from "./prompt-input.ts";
import { holdMode, pasteMode } from "./terminal.ts";
import type { LineEditor, LineEditorOptions, LineRead } from "./types.ts";

/** The maximum length of a paste that is shown, in characters. A longer paste is shown as a short note instead. */
const maxShownPaste = 1_000;

/** The symbols that represent a line feed and a tab in the edited line. */
const symbols = { "\n": "\u2424", "\t": "\u2409" } as const;

/** The keys that replace the line by an entry of the history. */
const historyKeys: ReadonlySet<string> = new Set([
  "\u001b[A",
  "\u001b[B",
  "\u001bOA",
  "\u001bOB",
  "\u0010",
  "\u000e",
]);

const shown = (text: string): string => text.replaceAll("\n", symbols["\n"]).replaceAll("\t", symbols["\t"]);
const typed = (text: string): string => text.replaceAll(symbols["\n"], "\n").replaceAll(symbols["\t"], "\t");

/** A line editor on stderr, based on Node's readline. */
export function lineEditor({ history, complete }: LineEditorOptions): LineEditor {
  const { stdin, stderr } = process;
  const keys = new PassThrough();
  const pastes = createPastes();
  const editor = createInterface({
    input: keys,
    output: stderr,
    terminal: true,
    history: history.map(shown).reverse(),
    historySize: Math.max(1_000, history.length),
    completer: (line: string, done: (error: null, result: [string[], string]) => void) => {
      complete(line).then(
        ({ choices, replaced }) => done(null, [[...choices], replaced]),
        () => done(null, [[], line]),
      );
    },
  });
  let settle: (read: LineRead) => void = () => {};
  const resolve = (read: LineRead) => {
    isReading = false;
    settle(read);
  };
  let reject: (error: Error) => void = () => {};
  let isReading = false;
  /** Passes typed input to readline until readline has read a line. The rest of the input waits for the next read. */
  const feed = () => {
    while (isReading) {
      const part = parts.next();
      if (part === undefined) return;
      if ("paste" in part) {
        pastes.insert(part.paste, editor);
        continue;
      }
      const before = editor.line;
      // Synchronous, so that keys and pastes stay in order.
      passKey(keys, part.key === "\n" ? "\r" : part.key);
      if (!historyKeys.has(part.key)) pastes.repair(before, editor);
    }
  };
  const onData = (data: Buffer) => {
    parts.add(data, feed);
    feed();
  };
  const setRaw = (on: boolean) => stdin.setRawMode?.(on);
  const end = () => resolve({ key: "ctrl-d" });
  const interrupt = () => reject(new Interrupted());
  editor.on("line", (line) => {
    // The caller decides what to remember, so remove the entry that readline added.
    const entries = historyOf(editor);
    if (entries[0] === line) entries.shift();
    resolve({ line: pastes.expand(typed(line)) });
  });
  editor.on("close", () => {
    stderr.write("\n");
    end();
  });
  editor.on("SIGINT", () => {
    const cleared = editor.line !== "";
    leaveLine(editor);
    resolve({ key: "ctrl-c", cleared });
  });
  editor.on("SIGTSTP", () => {
    setRaw(false);
    process.kill(process.pid, "SIGTSTP");
  });
  return {
    read: async (prompt) => {
      assertStdinOpen();
      const leavePasteMode = holdMode(stderr, {
        ...pasteMode,
        continued: () => {
          setRaw(true);
          editor.prompt(true);
        },
      });
      stdin.on("data", onData).on("end", end).on("error", end);
      for (const signal of interruptionSignals) process.on(signal, interrupt);
      setRaw(true);
      stdin.resume();
      editor.setPrompt(prompt);
      editor.prompt();
      try {
        return await new Promise<LineRead>((whenRead, whenInterrupted) => {
          settle = whenRead;
          isReading = true;
          reject = whenInterrupted;
          feed();
        });
      } finally {
        stdin.off("data", onData).off("end", end).off("error", end);
        for (const signal of interruptionSignals) process.off(signal, interrupt);
        parts.stop();
        stdin.pause();
        setRaw(false);
        leavePasteMode();
      }
    },
    remember: (entry) => {
      const entries = historyOf(editor);
      const line = shown(entry);
      const before = entries.indexOf(line);
      if (before >= 0) entries.splice(before, 1);
      entries.unshift(line);
    },
    close: () => {
      editor.removeAllListeners("close");
      editor.close();
    },
  };
}

/** The history entries of an editor, newest first. The types of Node.js omit this property. */
const historyOf = (editor: Interface): string[] =>
  "history" in editor && Array.isArray(editor.history) ? editor.history : [];

/** Leaves the line on the screen and starts an empty one below it. */
function leaveLine(editor: Interface): void {
  editor.write(null, { ctrl: true, name: "e" });
  process.stderr.write("^C\n");
  Object.assign(editor, { line: "", cursor: 0, prevRows: 0 });
}

/** The first index below `end` for which a condition holds; `end` if there is none. */
function firstIndex(end: number, holds: (at: number) => boolean): number {
  for (let at = 0; at < end; at += 1) if (holds(at)) return at;
  return end;
}

/** Inserts pastes into the edited line. A long paste is inserted as a note. */
function createPastes() {
  const long = new Map<string, string>();
  return {
    insert: (text: string, editor: Interface) => {
      const pasted = text.replace(/\r\n?/g, "\n").replace(/[^\P{Cc}\n\t]/gu, "");
      if (pasted === "") return;
      if (pasted.length <= maxShownPaste) {
        editor.write(shown(pasted));
        return;
      }
      const note = `[paste ${long.size + 1}: ${pasted.length} characters]`;
      long.set(note, pasted);
      editor.write(note);
    },
    /** If an edit has removed a part of a note, removes the rest of the note. Alone, it would be sent as text. */
    repair: (before: string, editor: Interface) => {
      const { line } = editor;
      const note = [...long.keys()].find((one) => before.includes(one) && !line.includes(one));
      if (note === undefined || line === "") return;
      const start = before.indexOf(note);
      const shorter = Math.min(before.length, line.length);
      const sameStart = firstIndex(shorter, (at) => before[at] !== line[at]);
      const sameEnd = firstIndex(shorter - sameStart, (at) => before.at(-1 - at) !== line.at(-1 - at));
      const typed = line.slice(sameStart, line.length - sameEnd);
      const head = before.slice(0, Math.min(start, sameStart)) + typed;
      const tail = before.slice(Math.max(start + note.length, before.length - sameEnd));
      Object.assign(editor, { line: head + tail, cursor: head.length });
      editor.prompt(true);
    },
    /** Replaces each note in a line with its paste. */
    expand: (line: string) =>
      [...long].reduce((text, [note, pasted]) => text.replaceAll(note, () => pasted), line),
  };
}
