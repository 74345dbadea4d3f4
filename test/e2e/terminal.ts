import process from "node:process";
import { type IPty, spawn } from "@lydell/node-pty";
import headless from "@xterm/headless";
import { onTestFinished } from "vitest";
import { words } from "../support/words.ts";
import { type Home, launcher } from "./command.ts";

export interface Session {
  /** Types keys. */
  readonly type: (keys: string) => void;
  /** Waits until the screen shows something; throws with the screen when the command ends before. */
  readonly shows: (what: RegExp) => Promise<void>;
  /** The screen as a person sees it, lines joined. */
  readonly screen: () => string;
  /** All bytes that came. */
  readonly raw: () => string;
  /** Closes the window. */
  readonly close: () => void;
  readonly ended: Promise<{ readonly exitCode: number; readonly signal?: number | undefined }>;
}

/** The built command in a terminal of so many columns. */
export function inTerminal(home: Home, line: string, columns = 80): Session {
  const screen = new headless.Terminal({ cols: columns, rows: 40, allowProposedApi: true });
  const pty: IPty = spawn(process.execPath, [launcher, ...words(line)], {
    cols: columns,
    rows: 40,
    cwd: home.folder,
    env: { ...home.env, TERM: "xterm" },
  });
  let raw = "";
  let over = false;
  const watchers = new Set<() => void>();
  const tell = () => {
    for (const watcher of watchers) watcher();
  };
  pty.onData((piece) => {
    raw += piece;
    screen.write(piece, tell);
  });
  const ended = new Promise<{ exitCode: number; signal?: number | undefined }>((resolve) => {
    pty.onExit((how) => {
      over = true;
      tell();
      resolve(how);
    });
  });
  onTestFinished(() => {
    if (!over) pty.kill("SIGKILL");
  });
  const text = () =>
    Array.from({ length: screen.buffer.active.length }, (_, at) =>
      screen.buffer.active.getLine(at)?.translateToString(true),
    ).join("");
  return {
    type: (keys) => pty.write(keys),
    screen: text,
    raw: () => raw,
    close: () => pty.kill("SIGHUP"),
    ended,
    shows: (what) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (what.test(text())) {
            watchers.delete(look);
            resolve();
          } else if (over) {
            watchers.delete(look);
            reject(new Error(`it ended with ${what} not shown:\n${text()}`));
          }
        };
        watchers.add(look);
        look();
      }),
  };
}
