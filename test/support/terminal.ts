import { type IPty, spawn } from "@lydell/node-pty";
import { Terminal as Emulator } from "@xterm/headless";
import { onTestFinished } from "vitest";
import { type Key, sequences } from "./keys.ts";
import { leftovers, lines } from "./terminal-screen.ts";

/** A program on a pseudo-terminal, and what a person at it sees and does. */
export interface Terminal {
  /** The lines of the window, without blanks at their ends. */
  readonly screen: () => readonly string[];
  /** All that was shown, what has scrolled away too; a line that went on in the next row is one line. */
  readonly text: () => string;
  /** All that came, control sequences and all. */
  readonly bytes: () => string;
  /** Resolves once `text()` holds it; rejects, telling what is on the screen, when the program ends or hangs without. */
  readonly waitFor: (wanted: Wanted) => Promise<void>;
  readonly type: (text: string) => void;
  readonly press: (...keys: readonly Key[]) => void;
  /** Sends a signal to the program. */
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly resize: (columns: number, rows: number) => void;
  /** Closes the window: the program loses its terminal. */
  readonly close: () => void;
  /** How the program ended; rejects, telling what is on the screen, when it does not. */
  readonly ended: () => Promise<Ended>;
  /** What an ended program left behind for the next one: a hidden cursor, a colour, a mode. */
  readonly leftovers: () => Promise<readonly string[]>;
}

/** A part of the text wherever its lines are broken, a pattern of it, or whatever can be said about it. */
export type Wanted = string | RegExp | ((text: string) => boolean);

export interface Ended {
  readonly code: number;
  /** Number of the signal that ended it; 0 for none. */
  readonly signal: number;
}

export interface Started {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

/** Milliseconds after which a program that shows nothing new is taken to hang. */
const patience = 25_000;

/** Starts a program on a terminal of its own; both are gone at the latest when the test ends. */
export function openTerminal({ program, args, cwd, env, columns = 80, rows = 24 }: Started): Terminal {
  const emulator = new Emulator({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  const size = { cols: columns, rows };
  const pty = spawn(program, [...args], { ...size, cwd, env, name: env.TERM ?? "xterm-256color" });
  let bytes = "";
  let over: Ended | undefined;
  const watchers = new Set<() => void>();
  const changed = () => {
    for (const watcher of watchers) watcher();
  };

  pty.onData((data) => {
    bytes += data;
    emulator.write(data, changed);
  });
  pty.onExit(({ exitCode, signal = 0 }) => {
    emulator.write("", () => {
      over = { code: exitCode, signal };
      changed();
    });
  });
  emulator.onData((answer) => pty.write(answer));

  /** Resolves as soon as `look` finds something, which is tried whenever something changed. */
  const when = <Found>(what: string, look: () => Found | undefined): Promise<Found> =>
    new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        watchers.delete(watcher);
        clearTimeout(hanging);
        act();
      };
      const fail = (why: string) =>
        settle(() => reject(new Error(`${why} before ${what}; on the screen:\n${text()}`)));
      const watcher = () => {
        const found = look();
        if (found !== undefined) settle(() => resolve(found));
        else if (over) fail(`it ended with ${over.code}`);
      };
      const hanging = setTimeout(() => fail("nothing more came"), patience);
      watchers.add(watcher);
      watcher();
    });

  const text = () => lines(emulator.buffer.active).join("\n");
  const ended = () => when("the end", () => over);
  onTestFinished(async () => {
    if (!over) kill(pty);
    await ended();
    close(pty);
    emulator.dispose();
  });

  return {
    screen: () => lines(emulator.buffer.active, { window: rows }),
    text,
    bytes: () => bytes,
    waitFor: async (wanted) => {
      await when(String(wanted), () => (found(text(), wanted) ? true : undefined));
    },
    type: (typed) => pty.write(typed),
    press: (...keys) => pty.write(keys.map((key) => sequences[key]).join("")),
    kill: (signal) => pty.kill(signal),
    resize: (cols, newRows) => {
      emulator.resize(cols, newRows);
      pty.resize(cols, newRows);
    },
    close: () => close(pty),
    ended,
    leftovers: () => leftovers(emulator, bytes),
  };
}

function found(text: string, wanted: Wanted): boolean {
  if (typeof wanted === "function") return wanted(text);
  return typeof wanted === "string" ? text.replaceAll("\n", "").includes(wanted) : wanted.test(text);
}

/** node-pty closes its side of the terminal by a method that its types leave out. */
function close(pty: IPty): void {
  if ("destroy" in pty && typeof pty.destroy === "function") pty.destroy();
}

/** The program leads a process group: what it started ends with it. */
function kill(pty: IPty): void {
  try {
    process.kill(-pty.pid, "SIGKILL");
  } catch {
    pty.kill("SIGKILL");
  }
}
