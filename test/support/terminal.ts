import { type IPty, spawn } from "@lydell/node-pty";
import { Terminal as Emulator, type IBuffer } from "@xterm/headless";
import { onTestFinished } from "vitest";

/** What a terminal sends for a key. */
export const sequences = {
  enter: "\r",
  up: "\u001b[A",
  down: "\u001b[B",
  backspace: "\u007f",
  escape: "\u001b",
  tab: "\t",
  "ctrl-c": "\u0003",
  "ctrl-d": "\u0004",
  "ctrl-z": "\u001a",
} as const;

export type Key = keyof typeof sequences;

/** A program on a pseudo-terminal, and what a person at it sees and does. */
export interface Terminal {
  /** The lines of the window, without blanks at their ends. */
  readonly screen: () => readonly string[];
  /** All that was shown, what has scrolled away too; a line that went on in the next row is one line. */
  readonly text: () => string;
  /** All that came, control sequences and all. */
  readonly bytes: () => string;
  /** Resolves once `text()` holds it; rejects, with what is on the screen, when the program ends or hangs without. */
  readonly waitFor: (wanted: Wanted) => Promise<void>;
  readonly type: (text: string) => void;
  readonly press: (...keys: readonly Key[]) => void;
  /** Sends a signal to the program. */
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly resize: (columns: number, rows: number) => void;
  /** Closes the window: the program loses its terminal. */
  readonly close: () => void;
  /** How the program ended; rejects, with what is on the screen, when it does not. */
  readonly ended: () => Promise<Ended>;
  /** What an ended program left behind for the next one: a hidden cursor, a color, a mode. */
  readonly leftovers: () => Promise<readonly string[]>;
}

/** A part of the text wherever its lines are broken, a pattern of it, or a predicate on it. */
export type Wanted = string | RegExp | ((text: string) => boolean);

export interface Ended {
  readonly code: number;
  /** Number of the signal that ended it; 0 for none. */
  readonly signal: number;
}

export interface TerminalSize {
  readonly columns?: number;
  readonly rows?: number;
}

interface Started extends TerminalSize {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Milliseconds after which a program that shows nothing new is taken to hang. */
const patience = 150_000;

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
    leftovers: () => leftoversOf(emulator, bytes),
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

/**
 * Lines as a person reads them, without blanks at their ends. The last `window` rows as they stand on the screen, or
 * everything, where rows that one long line went on in are one line.
 */
function lines(buffer: IBuffer, { window }: { window?: number } = {}): readonly string[] {
  const first = window === undefined ? 0 : buffer.baseY;
  const last = window === undefined ? buffer.length : buffer.baseY + window;
  const read: string[] = [];
  for (let at = first; at < last; at++) {
    const goesOn = window === undefined && buffer.getLine(at + 1)?.isWrapped === true;
    const row = buffer.getLine(at)?.translateToString(!goesOn) ?? "";
    if (window === undefined && buffer.getLine(at)?.isWrapped) read.push(`${read.pop() ?? ""}${row}`);
    else read.push(row);
  }
  while (read.at(-1) === "") read.pop();
  return read;
}

/** What is not as a program finds a new terminal. */
async function leftoversOf(emulator: Emulator, bytes: string): Promise<readonly string[]> {
  const fresh = new Emulator({ allowProposedApi: true });
  const left = Object.entries(emulator.modes).flatMap(([mode, value]) =>
    Object.entries(fresh.modes).some(([name, usual]) => name === mode && usual !== value) ? [mode] : [],
  );
  fresh.dispose();
  if (cursorMoves(bytes).last === "hidden") left.push("hidden cursor");
  if (emulator.buffer.active.type !== "normal") left.push("alternate screen");
  if (await isStyled(emulator)) left.push("style");
  return left;
}

/** The same for saved output. */
export async function leftoversIn(output: string): Promise<readonly string[]> {
  const emulator = new Emulator({ allowProposedApi: true });
  await new Promise<void>((resolve) => emulator.write(output, resolve));
  const left = await leftoversOf(emulator, output);
  emulator.dispose();
  return left;
}

/**
 * What a terminal shows of a spinner when Ctrl-C makes the system drop what was not read yet: the last frame ends after
 * its color begins, and what follows the frame is there.
 */
export const withLastFrameCut = (output: string): string =>
  output.replace(/^(.*\u001b\[\?2026h.*?\u001b\[36m).*?\u001b\[\?2026l/s, "$1");

/** How often the cursor was hidden and shown, and what came last. */
export function cursorMoves(bytes: string) {
  const moves = [...bytes.matchAll(/\u001b\[\?25([hl])/g)].map(([, move]) =>
    move === "l" ? "hidden" : "shown",
  );
  const count = (wanted: string) => moves.filter((move) => move === wanted).length;
  return { hidden: count("hidden"), shown: count("shown"), last: moves.at(-1) };
}

/** Whether the next letter would be drawn in a color or a style. */
async function isStyled(emulator: Emulator): Promise<boolean> {
  await new Promise<void>((resolve) => emulator.write("\rx", resolve));
  const { active } = emulator.buffer;
  return (
    active
      .getLine(active.baseY + active.cursorY)
      ?.getCell(0)
      ?.isAttributeDefault() === false
  );
}
