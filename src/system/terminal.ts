import { fstatSync, writeSync } from "node:fs";
import process from "node:process";
import type { Writable } from "node:stream";
import { asciiText } from "../core/locale.ts";
import type { Io, Sink, Spinner, SpinnerOptions } from "./types.ts";

/** The part of a stream that a sink needs. */
interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly write: (chunk: string | Uint8Array, done: (error?: Error | null) => void) => unknown;
  readonly on?: (event: "error", listener: (error: NodeJS.ErrnoException) => void) => unknown;
}

/**
 * An output that is opened on first use. If the reader of a pipe closes it, the process exits silently. For an
 * `optional` stream, such as stderr, a closed pipe and failed writes are ignored.
 */
export function sink(open: () => Output, { optional = false } = {}): Sink {
  let opened: Output | undefined;
  let quiet = !optional;
  const output = (): Output => {
    if (opened) return opened;
    opened = open();
    opened.on?.("error", (error) => {
      if (error.code === "EPIPE" && quiet) process.exit(0);
    });
    return opened;
  };
  return {
    get isTTY() {
      return output().isTTY === true;
    },
    get columns() {
      return output().columns ?? 0;
    },
    get rows() {
      return output().rows ?? 0;
    },
    write: (chunk, { reportsClosedPipe = false, reportsErrors = !optional } = {}) =>
      new Promise((resolve, reject) => {
        if (reportsClosedPipe) quiet = false;
        output().write(chunk, (error) => (error && reportsErrors ? reject(error) : resolve()));
      }),
  };
}

/**
 * Opens stdout. If stdout is a file, a write fails unless the whole chunk is written: the stream of Node.js ignores that
 * a disk that becomes full accepts only a part. After a failed write, the next one may succeed.
 */
export function openStdout(): Output {
  if (!isFile(1)) return process.stdout;
  return {
    write: (chunk, done) => {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      try {
        for (let written = 0; written < bytes.length; ) written += writeSync(1, bytes, written);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  };
}

function isFile(fd: number): boolean {
  try {
    // Without `bigint`, Node.js would not resolve symbolic links in the next `require()` if this is a pipe: its
    // `realpathSync` reads what the last call of `fstatSync` without `bigint` found.
    return fstatSync(fd, { bigint: true }).isFile();
  } catch {
    return false;
  }
}

/** Replaces symbols with ASCII in every string that is written to a stream, even by libraries. */
export function drawnInAscii<Opened extends Writable>(stream: Opened): Opened {
  const write: Writable["write"] = stream.write.bind(stream);
  const inAscii = (chunk: unknown) => (typeof chunk === "string" ? asciiText(chunk) : chunk);
  stream.write = (
    chunk: unknown,
    encoding?: BufferEncoding | ((error?: Error | null) => void),
    callback?: (error?: Error | null) => void,
  ) =>
    typeof encoding === "string"
      ? write(inAscii(chunk), encoding, callback)
      : write(inAscii(chunk), encoding ?? callback);
  return stream;
}

const HIDE = "\u001b[?25l";

/**
 * Ends synchronized output and shows the cursor. A spinner itself starts and ends synchronized output with every frame.
 * But the end of the last frame may be lost: Ctrl-C, Ctrl-\ and Ctrl-Z discard output that the terminal has not read.
 */
const RESTORE = "\u001b[?2026l\u001b[?25h";

/** Resets the color, because the sequence that ends a color may be lost in the same way. */
const RESET_STYLE = "\u001b[0m";

/** The alternate screen. Unlike other lines, its lines are not rewrapped when the window is resized. */
const SCREEN = { enter: "\u001b[?1049h", leave: "\u001b[?1049l" };

/** Bracketed paste: the terminal marks pasted text, so that a pasted line feed does not submit the line. */
export const pasteMode = { enter: "\u001b[?2004h", leave: "\u001b[?2004l" };

/** What the terminal sends before and after pasted text. */
export const pasteMarks = { start: "\u001b[200~", end: "\u001b[201~" };

interface ModeOptions {
  /** Sets the mode. */
  readonly enter: string;
  readonly leave: string;
  /** Called when a stopped process continues. */
  readonly continued?: (() => void) | undefined;
}

/**
 * Sets a mode of the terminal, and returns a function that restores it. The mode is also restored if the process ends
 * or stops first: on exit, on an uncaught error, on Ctrl-\ and on Ctrl-Z.
 */
export function holdMode(
  terminal: { readonly write: (text: string) => unknown },
  { enter, leave, continued }: ModeOptions,
): () => void {
  let entered = false;
  const set = () => {
    if (!entered) terminal.write(enter);
    entered = true;
  };
  const restore = () => {
    if (entered) terminal.write(leave);
    entered = false;
  };
  const stop = () => {
    restore();
    process.kill(process.pid, "SIGSTOP");
  };
  const quit = () => {
    restore();
    removeHandlers();
    process.kill(process.pid, "SIGQUIT");
  };
  const resume = () => {
    set();
    continued?.();
  };
  const handlers = { exit: restore, SIGTSTP: stop, SIGCONT: resume, SIGQUIT: quit };
  const removeHandlers = () => {
    for (const [event, handler] of Object.entries(handlers)) process.off(event, handler);
  };
  for (const [event, handler] of Object.entries(handlers)) process.on(event, handler);
  set();
  return () => {
    removeHandlers();
    restore();
  };
}

interface HideOptions {
  readonly color: boolean;
  /** The screen to draw on. By default, the screen with the shell's output. */
  readonly screen?: typeof SCREEN;
  readonly continued?: () => void;
}

/** Hides the cursor until the returned function is called. */
const hideCursor = (
  terminal: { readonly write: (text: string) => unknown },
  { color, screen, continued }: HideOptions,
): (() => void) =>
  holdMode(terminal, {
    enter: `${screen?.enter ?? ""}${HIDE}`,
    leave: `${color ? RESET_STYLE : ""}${screen?.leave ?? ""}${RESTORE}`,
    continued,
  });

/** Implements `Io.fullScreen`. */
export function fullScreen({ color, redraw }: Parameters<Io["fullScreen"]>[0]): () => void {
  const restore = hideCursor(process.stdout, { color, screen: SCREEN, continued: redraw });
  process.stdout.on("resize", redraw);
  return () => {
    process.stdout.off("resize", redraw);
    restore();
  };
}

/** A spinner on stderr. The terminal is restored when the spinner stops or the process ends. */
export async function spinner(text: string, { color, suffix }: SpinnerOptions): Promise<Spinner> {
  const { default: ora } = await import("ora");
  const restore = hideCursor(process.stderr, { color });
  const shown = ora({
    text,
    suffixText: suffix,
    stream: process.stderr,
    discardStdin: false,
    hideCursor: false,
    isEnabled: true,
    color: color && "cyan",
  }).start();
  return {
    update: (next) => {
      shown.text = next;
    },
    stop: () => {
      shown.stop();
      restore();
    },
  };
}

/**
 * The maximum length of a text to copy, in bytes. The control sequence for a text of this length has 100,000 bytes, and
 * some terminals ignore a longer sequence.
 */
const maxCopied = 74_994;

/** Implements `Io.copy` with the control sequence OSC 52. */
export function copyThroughTerminal(text: string): boolean {
  const bytes = Buffer.from(text);
  if (bytes.length > maxCopied) return false;
  process.stderr.write(`\u001b]52;c;${bytes.toString("base64")}\u0007`);
  return true;
}
