import { spawn } from "@lydell/node-pty";
import { onTestFinished } from "vitest";
import { words } from "../support/words.ts";
import { type Environment, type Home, launcher } from "./command.ts";

export interface OnTerminal {
  /** All that was drawn so far. */
  readonly drawn: () => string;
  /** Settles when what was drawn matches. */
  readonly until: (pattern: RegExp) => Promise<void>;
  readonly type: (text: string) => void;
  readonly kill: (signal: string) => void;
  /** Its exit code, and the signal that ended it. */
  readonly ended: Promise<{ readonly exitCode: number; readonly signal?: number | undefined }>;
}

/** Runs the built command on a real terminal of 80 columns and 24 rows. */
export function onTerminal(
  line: string,
  { folder, env }: Pick<Home, "folder" | "env">,
  more: Environment = {},
): OnTerminal {
  const terminal = spawn(process.execPath, [launcher, ...words(line)], {
    name: more.TERM ?? "xterm-256color",
    cols: 80,
    rows: 24,
    cwd: folder,
    env: { ...env, ...more },
  });
  let text = "";
  const waiting = new Set<() => void>();
  terminal.onData((piece) => {
    text += piece;
    for (const check of waiting) check();
  });
  let over = false;
  const ended = new Promise<{ exitCode: number; signal?: number | undefined }>((resolve) => {
    terminal.onExit((end) => {
      over = true;
      // What was drawn last may come after the news of the end.
      setImmediate(() => setImmediate(() => resolve(end)));
    });
  });
  onTestFinished(() => {
    if (!over) terminal.kill("SIGKILL");
  });
  return {
    drawn: () => text,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!pattern.test(text)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
        void ended.then(() => reject(new Error(`it ended before ${pattern}: ${JSON.stringify(text)}`)));
      }),
    type: (keys) => terminal.write(keys),
    kill: (signal) => terminal.kill(signal),
    ended,
  };
}

/** How often the cursor was hidden and shown, and what came last. */
export function cursorMoves(text: string): { hidden: number; shown: number; last: string | undefined } {
  const moves = [...text.matchAll(/\u001b\[\?25([hl])/g)].map(([, move]) =>
    move === "l" ? "hidden" : "shown",
  );
  const count = (wanted: string) => moves.filter((move) => move === wanted).length;
  return { hidden: count("hidden"), shown: count("shown"), last: moves.at(-1) };
}
