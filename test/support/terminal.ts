import { readSync } from "node:fs";
import { Socket } from "node:net";
import { type IPty, spawn } from "@lydell/node-pty";
import { Terminal as Emulator } from "@xterm/headless";
import { onTestFinished } from "vitest";

/** The characters that a terminal sends for each key. */
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

/** A program on a pseudo-terminal, with the output that a user sees and the input that a user types. */
export interface Terminal {
  /** The visible lines, without trailing spaces. */
  readonly screen: () => readonly string[];
  /** The text of all lines, including those that have scrolled off. A wrapped line is one line. */
  readonly text: () => string;
  /** Everything that the program wrote, including control sequences. */
  readonly bytes: () => string;
  /** Resolves once `text()` matches. Rejects with the text shown so far if the program ends or hangs before that. */
  readonly waitFor: (wanted: Wanted) => Promise<void>;
  readonly type: (text: string) => void;
  readonly press: (...keys: readonly Key[]) => void;
  /** Sends a signal to the program. */
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly resize: (columns: number, rows: number) => void;
  /** Closes the window: the program loses its terminal. */
  readonly close: () => void;
  /** Resolves when the program ends. Rejects with the text shown so far if it hangs. */
  readonly ended: () => Promise<Ended>;
  /** Terminal state that an ended program did not restore: a hidden cursor, a color, a mode. */
  readonly leftovers: () => Promise<readonly string[]>;
}

/** A string that may span lines, a pattern, or a predicate. */
export type Wanted = string | RegExp | ((text: string) => boolean);

export interface Ended {
  readonly code: number;
  /** Number of the signal that ended the program; 0 for none. */
  readonly signal: number;
}

export interface TerminalSize {
  readonly columns?: number;
  readonly rows?: number;
}

interface TerminalProgram extends TerminalSize {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Milliseconds after which a wait fails because the program hangs. */
const hangTimeout = 150_000;

/** Starts a program on a new terminal. When the test ends, the program is killed and the terminal is closed. */
export function openTerminal({
  program,
  args,
  cwd,
  env,
  columns = 80,
  rows = 24,
}: TerminalProgram): Terminal {
  const emulator = new Emulator({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  const size = { cols: columns, rows };
  const pty = spawn(program, [...args], { ...size, cwd, env, name: env.TERM ?? "xterm-256color" });
  let bytes = "";
  let exited: Ended | undefined;
  const watchers = new Set<() => void>();
  const changed = () => {
    for (const watcher of watchers) watcher();
  };

  const receive = (data: string) => {
    bytes += data;
    emulator.write(data, changed);
  };
  pty.onData(receive);
  readToTheEnd(pty, receive);
  pty.onExit(({ exitCode, signal = 0 }) => {
    emulator.write("", () => {
      exited = { code: exitCode, signal };
      changed();
    });
  });
  emulator.onData((reply) => pty.write(reply));

  /** Resolves with the first defined result of `look`, which is called after each change. */
  const when = <Found>(what: string, look: () => Found | undefined): Promise<Found> =>
    new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        watchers.delete(watcher);
        clearTimeout(hanging);
        act();
      };
      const fail = (why: string) =>
        settle(() => reject(new Error(`${why} before ${what}; shown so far:\n${text()}`)));
      const watcher = () => {
        const found = look();
        if (found !== undefined) settle(() => resolve(found));
        else if (exited) fail(`the program ended with ${exited.code}`);
      };
      const hanging = setTimeout(() => fail("timeout"), hangTimeout);
      watchers.add(watcher);
      watcher();
    });

  const text = () => lines(emulator).join("\n");
  const ended = () => when("the end", () => exited);
  onTestFinished(async () => {
    if (!exited) kill(pty);
    await ended();
    close(pty);
    emulator.dispose();
  });

  return {
    screen: () => lines(emulator, { window: emulator.rows }),
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

/**
 * After a program ends, libuv treats the next short read as the end of output. But a terminal passes on at most 4 KiB
 * at once, so more output may follow a short read. node-pty then closes its side of the terminal, at the latest 200 ms
 * after the end of the program. This function reads the rest of the output before node-pty closes its side, and passes
 * the output to `receive`.
 */
function readToTheEnd(pty: IPty, receive: (data: string) => void): void {
  const socket: unknown = "_socket" in pty ? pty._socket : undefined;
  const fd: unknown = "_fd" in pty ? pty._fd : undefined;
  if (!(socket instanceof Socket) || typeof fd !== "number") throw new Error("node-pty has changed");
  const destroy = socket.destroy.bind(socket);
  const readAll = () => {
    const buffer = Buffer.alloc(4096);
    const decoder = new TextDecoder();
    try {
      for (let length = readSync(fd, buffer); length > 0; length = readSync(fd, buffer)) {
        receive(decoder.decode(buffer.subarray(0, length), { stream: true }));
      }
    } catch {
      // `readSync` throws EIO after all output of a program that has ended, and EAGAIN if the program still runs.
    }
  };
  socket.destroy = (error) => {
    if (!socket.destroyed) readAll();
    return destroy(error);
  };
}

/** Closes node-pty's side of the terminal with a method that is missing from node-pty's types. */
function close(pty: IPty): void {
  if ("destroy" in pty && typeof pty.destroy === "function") pty.destroy();
}

/** Kills the program and its children, which are in its process group. */
function kill(pty: IPty): void {
  try {
    process.kill(-pty.pid, "SIGKILL");
  } catch {
    pty.kill("SIGKILL");
  }
}

/**
 * The lines without trailing spaces: the last `window` rows as shown on the screen, or all lines, with wrapped rows
 * joined.
 */
function lines(
  { buffer: { active: buffer }, cols }: Emulator,
  { window }: { window?: number } = {},
): readonly string[] {
  const first = window === undefined ? 0 : buffer.baseY;
  const last = window === undefined ? buffer.length : buffer.baseY + window;
  const read: string[] = [];
  for (let at = first; at < last; at++) {
    const continues = window === undefined && buffer.getLine(at + 1)?.isWrapped === true;
    // When a window becomes narrower, a row still contains the cells that are no longer shown.
    const row = buffer.getLine(at)?.translateToString(!continues, 0, cols) ?? "";
    if (window === undefined && buffer.getLine(at)?.isWrapped) read.push(`${read.pop() ?? ""}${row}`);
    else read.push(row);
  }
  while (read.at(-1) === "") read.pop();
  return read;
}

/** The parts of a terminal's state that differ from those of a new terminal. */
async function leftoversOf(emulator: Emulator, bytes: string): Promise<readonly string[]> {
  const fresh = new Emulator({ allowProposedApi: true });
  const left = Object.entries(emulator.modes).flatMap(([mode, value]) =>
    Object.entries(fresh.modes).some(([name, initial]) => name === mode && initial !== value) ? [mode] : [],
  );
  fresh.dispose();
  if (cursorMoves(bytes).last === "hidden") left.push("hidden cursor");
  if (emulator.buffer.active.type !== "normal") left.push("alternate screen");
  if (await isStyled(emulator)) left.push("style");
  return left;
}

/** The leftovers of a program with this output. */
export async function leftoversIn(output: string): Promise<readonly string[]> {
  const emulator = new Emulator({ allowProposedApi: true });
  await new Promise<void>((resolve) => emulator.write(output, resolve));
  const left = await leftoversOf(emulator, output);
  emulator.dispose();
  return left;
}

/**
 * The output of a spinner as a terminal receives it if the system drops unread output at Ctrl-C: the last frame is cut
 * off after its color begins, but everything after that frame arrives.
 */
export const withLastFrameCut = (output: string): string =>
  output.replace(/^(.*\u001b\[\?2026h.*?\u001b\[36m).*?\u001b\[\?2026l/s, "$1");

/** How often the cursor was hidden and shown, and which was last. */
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
