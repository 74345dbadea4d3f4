import process from "node:process";
import { PassThrough, type Readable } from "node:stream";
import { UsageError } from "../core/errors.ts";
import { unseen } from "../core/unseen.ts";
import { pasteMarks } from "./terminal.ts";

/**
 * Control characters and invisible characters that have no editing function in a prompt. Ctrl with Space, \ or ] sends
 * some of them. A prompt would echo them, and the terminal would act on them.
 */
const dropped = new RegExp(`[\\x00\\x1c\\x1d\\u200b\\u2060${unseen.replace("\\x7f", "\\x80")}]`, "g");

const ctrlC = "\u0003";
const esc = "\u001b";

/** In milliseconds, as in readline: how long Escape may be the start of a sequence. */
const escapeTimeout = 500;

/** In milliseconds, as in readline: how long a line feed may belong to the carriage return before it. */
const lineBreakTimeout = 100;

/** What typed text starts with: an escape sequence, text that is too long to be a key, or one character. */
const firstKey = /^(?:\u001b{1,2}[[O]?[\d;]*[^\u001b]|\P{Cc}{16,}|[^\u001b])/u;

/** Escape, or a sequence of which only the start has arrived. */
const incomplete = /^\u001b{1,2}(?:[[O][\d;]*)?(?=\u001b|$)/;

/** Throws `UsageError` if stdin has ended. A prompt would wait forever, because nothing more can be typed. */
export function assertStdinOpen(): void {
  if (process.stdin.readableEnded) throw new UsageError("stdin has ended, so gpuctl cannot prompt");
}

/** A key, text that is too long to be a key, or a whole paste. */
export type Part = { readonly key: string } | { readonly paste: string };

/**
 * Splits the input of a terminal into keys and pastes. A key, or the mark at the start or end of a paste, may arrive in
 * parts.
 */
export function inputParts() {
  const decoder = new TextDecoder();
  let rest = "";
  /** The paste whose end has not arrived. */
  let paste: string | undefined;
  let followsReturn = false;
  let isEscapeKey = false;
  let waiting: NodeJS.Timeout | undefined;
  let lastAdded = 0;

  /**
   * Forgets what no longer belongs to the input that arrives now. After `stop`, an old Escape may still be in `rest`.
   */
  const forgetOld = () => {
    const silence = performance.now() - lastAdded;
    lastAdded += silence;
    if (silence > lineBreakTimeout) followsReturn = false;
    if (silence > escapeTimeout && paste === undefined) rest = rest.replace(/\u001b+$/, "");
  };

  const nextKey = (): Part | undefined => {
    const mark = rest.indexOf(pasteMarks.start);
    const typed = mark < 0 ? rest : rest.slice(0, mark);
    const [start] = incomplete.exec(typed) ?? [];
    // If a paste or another Escape cuts off a sequence, the keys after it do not continue the sequence.
    const isCutOff = start !== undefined && (mark >= 0 || start.length < typed.length || isEscapeKey);
    if (start !== undefined && !isCutOff) return undefined;
    const key = start ?? firstKey.exec(typed)?.[0] ?? "";
    if (key === "") return undefined;
    rest = rest.slice(key.length);
    isEscapeKey = false;
    const repeats = followsReturn && key === "\n";
    followsReturn = key === "\r";
    // Some terminals send both characters of a line break for Enter.
    return repeats ? nextKey() : { key: isCutOff ? esc : key };
  };

  return {
    /**
     * Adds input. Returns it as text. Calls `onEscape` when it is certain that Escape at the end of the input is a key.
     */
    add: (data: Uint8Array, onEscape: () => void): string => {
      forgetOld();
      const arrived = decoder.decode(data, { stream: true });
      rest += arrived;
      isEscapeKey = false;
      clearTimeout(waiting);
      if (rest.endsWith(esc)) {
        waiting = setTimeout(() => {
          isEscapeKey = true;
          onEscape();
        }, escapeTimeout);
      }
      return arrived;
    },
    next: (): Part | undefined => {
      if (paste === undefined) {
        if (!rest.startsWith(pasteMarks.start)) return nextKey();
        rest = rest.slice(pasteMarks.start.length);
        paste = "";
        followsReturn = false;
      }
      const end = rest.indexOf(pasteMarks.end);
      // The last characters stay in `rest`, because they may be the start of the mark.
      const length = end < 0 ? Math.max(0, rest.length - pasteMarks.end.length + 1) : end;
      paste += rest.slice(0, length);
      rest = rest.slice(length);
      if (end < 0) return undefined;
      rest = rest.slice(pasteMarks.end.length);
      const whole = paste;
      paste = undefined;
      return { paste: whole };
    },
    /** Whether only a part of the next key or paste has arrived. */
    hasStarted: (): boolean => paste !== undefined || rest !== "",
    /** Stops the wait for what follows Escape. */
    stop: () => clearTimeout(waiting),
  };
}

/** The input of the terminal. All prompts share it, because a paste may begin at one and end at another. */
export const terminalParts = inputParts();

/** Passes a key to readline. Escape does not become a sequence with the key after it. */
export function passKey(keys: PassThrough, key: string): void {
  if (key === esc) keys.emit("keypress", undefined, { sequence: key, name: "escape", meta: true });
  else keys.emit("data", Buffer.from(key));
}

/**
 * How long to read and drop what was typed before a question, in milliseconds. The terminal has stored it, so it
 * arrives at once.
 */
export const dropTime = 50;

/** How long to wait at most, in milliseconds, until nothing arrives for `dropTime`. A long paste arrives in parts. */
const maxDropTime = 500;

type TerminalInput = Readable & { readonly setRawMode: (on: boolean) => unknown };

interface InputOptions {
  /** Called as soon as Ctrl-C arrives, even if keys that came before are still to be processed. */
  readonly onCtrlC: () => void;
}

/**
 * The terminal's input for one prompt of Inquirer, which draws the prompt again after each key. A paste counts as one
 * key. Line breaks at its end are removed, and others become spaces. New input is read after each key that is
 * processed, so that Ctrl-C takes effect at once. Input that arrives before `open` is called is dropped. If a key or a
 * paste has started by then, the rest of it is dropped, too.
 */
export function promptInput(stdin: TerminalInput, { onCtrlC }: InputOptions) {
  const keys = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (on: boolean) => stdin.setRawMode(on),
  });
  const parts = terminalParts;
  let isOpen = false;
  let dropsNext = false;
  let arrivals = 0;
  let next: NodeJS.Immediate | undefined;
  const feed = () => {
    next = undefined;
    const part = parts.next();
    if (part === undefined) return;
    next = setImmediate(feed);
    if (dropsNext) dropsNext = false;
    else if ("paste" in part)
      insert(
        withoutDropped(part.paste)
          .replace(/[\r\n]+$/, "")
          .replace(/\p{Cc}+/gu, " "),
      );
    else if (part.key.length >= 16 && !part.key.startsWith(esc)) insert(withoutDropped(part.key));
    else if (withoutDropped(part.key) === part.key) passKey(keys, part.key);
  };
  const insert = (text: string) => {
    if (text !== "") keys.emit("keypress", text, { sequence: text });
  };
  const drop = () => {
    while (parts.next() !== undefined);
  };
  const continueFeeding = () => {
    if (isOpen) next ??= setImmediate(feed);
    else drop();
  };
  const onData = (data: Uint8Array) => {
    arrivals += 1;
    if (parts.add(data, continueFeeding).includes(ctrlC)) onCtrlC();
    continueFeeding();
  };
  // Waits again for what follows an earlier Escape, which may be the start of a mark.
  onData(new Uint8Array());
  stdin.on("data", onData).setRawMode(true);
  stdin.resume();
  return {
    keys,
    /** Resolves when everything that was typed before has been dropped. */
    dropTyped: async () => {
      let before: number;
      let waited = 0;
      do {
        before = arrivals;
        await new Promise((resolve) => setTimeout(resolve, dropTime));
        waited += dropTime;
      } while (arrivals > before && waited < maxDropTime);
    },
    open: () => {
      isOpen = true;
      dropsNext = parts.hasStarted();
    },
    close: () => {
      clearImmediate(next);
      parts.stop();
      drop();
      stdin.off("data", onData).pause();
    },
  };
}

/** Removes the dropped characters. What remains is not searched for paste marks again, so it cannot become a mark. */
const withoutDropped = (text: string): string => text.replace(dropped, "");
