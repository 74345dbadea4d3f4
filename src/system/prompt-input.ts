import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReadStream } from "node:tty";
import { unseen } from "../core/unseen.ts";
import { pasteMarks } from "./terminal.ts";

/**
 * Control and invisible characters that edit nothing in a prompt, although Ctrl with Space, \ or ] sends some of them. A
 * prompt would echo them, and the terminal would act on them.
 */
const dropped = new RegExp(`[\\x00\\x1c\\x1d\\u200b\\u2060${unseen.replace("\\x7f", "\\x80")}]`, "g");

const ctrlC = "\u0003";
const esc = "\u001b";

/** In milliseconds, as in readline: how long Escape may be the start of a sequence. */
const escapeTimeout = 500;

/** The first key of typed text: an escape sequence; text that is too long to be a key; or one character. */
const firstKey = /^(?:\u001b{1,2}[[O]?[\d;]*[^\u001b]|\P{Cc}{16,}|[^\u001b])/u;

/** Escape, or a sequence of which only the start has arrived. */
const incomplete = /^\u001b{1,2}(?:[[O][\d;]*)?(?=\u001b|$)/;

/** A key, text that is too long to be a key, or a whole paste. */
export type Part = { readonly key: string } | { readonly paste: string };

/**
 * Splits the input of a terminal into keys and pastes. A key or a mark may arrive in parts. Calls `onEscape` when it is
 * certain that Escape at the end of the input is a key.
 */
export function inputParts(onEscape: () => void) {
  const decoder = new TextDecoder();
  let rest = "";
  /** The paste of which the end has not arrived. */
  let paste: string | undefined;
  let followsReturn = false;
  let isEscapeKey = false;
  let waiting: NodeJS.Timeout | undefined;

  const nextKey = (): Part | undefined => {
    const mark = rest.indexOf(pasteMarks.start);
    const typed = mark < 0 ? rest : rest.slice(0, mark);
    const [start] = incomplete.exec(typed) ?? [];
    // What is cut off by a paste or by another Escape does not become a sequence with the keys after it.
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
    /** Adds input. Returns it as text. */
    add: (data: Uint8Array): string => {
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
      // The start of a mark at the end of the input stays in `rest`.
      const length = end < 0 ? Math.max(0, rest.length - pasteMarks.end.length + 1) : end;
      paste += rest.slice(0, length);
      rest = rest.slice(length);
      if (end < 0) return undefined;
      rest = rest.slice(pasteMarks.end.length);
      const whole = paste;
      paste = undefined;
      return { paste: whole };
    },
    /** Stops the wait for what follows Escape. */
    stop: () => clearTimeout(waiting),
  };
}

/** Passes a key to readline. Escape does not become a sequence with the key after it. */
export function passKey(keys: PassThrough, key: string): void {
  if (key === esc) keys.emit("keypress", undefined, { sequence: key, name: "escape", meta: true });
  else keys.emit("data", Buffer.from(key));
}

/** How long to read what was typed, in milliseconds. The terminal has stored it, so it arrives at once. */
export const dropTime = 50;

interface InputOptions {
  /** Called as soon as Ctrl-C arrives, even if keys that came before are still to be processed. */
  readonly onCtrlC: () => void;
}

/**
 * The terminal's input for one prompt of Inquirer, which draws the prompt again after each key. A paste counts as one
 * key, its line breaks as spaces. Between two keys, the input is read, so that Ctrl-C takes effect at once. What arrives
 * before `open` is called is dropped.
 */
export function promptInput(stdin: ReadStream, { onCtrlC }: InputOptions) {
  const keys = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (on: boolean) => stdin.setRawMode(on),
  });
  let isOpen = false;
  let next: NodeJS.Immediate | undefined;
  const feed = () => {
    next = undefined;
    const part = parts.next();
    if (part === undefined) return;
    next = setImmediate(feed);
    if ("paste" in part)
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
  const continueFeeding = () => {
    next ??= setImmediate(feed);
  };
  const parts = inputParts(continueFeeding);
  const onData = (data: Uint8Array) => {
    if (!isOpen) {
      if (new TextDecoder().decode(data).includes(ctrlC)) onCtrlC();
      return;
    }
    if (parts.add(data).includes(ctrlC)) onCtrlC();
    continueFeeding();
  };
  stdin.on("data", onData).setRawMode(true);
  stdin.resume();
  return {
    keys,
    /** Resolves when everything that was typed before has been dropped. */
    dropTyped: () => sleep(dropTime),
    open: () => {
      isOpen = true;
    },
    close: () => {
      clearImmediate(next);
      parts.stop();
      stdin.off("data", onData).pause();
    },
  };
}

/** Without the characters that are dropped. A part is whole by then, so its other characters do not become a mark. */
const withoutDropped = (text: string): string => text.replace(dropped, "");
