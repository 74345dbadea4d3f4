import { PassThrough } from "node:stream";
import type { ReadStream } from "node:tty";
import { unseen } from "../core/unseen.ts";

/** Control and invisible characters that no key sends. A prompt would echo them, and the terminal would act on them. */
const dropped = new RegExp(`[\\x00\\x1c\\x1d\\u200b\\u2060${unseen.replace("\\x7f", "\\x80")}]`, "g");

const ctrlC = "\u0003";

/**
 * The first part of the input: a paste, if the terminal marks pastes; an escape sequence; text that is too long to be a
 * key; or one character.
 */
const firstPart = /^(?:\u001b\[200~(?<paste>.*?)\u001b\[201~|\u001b[[O]?[\d;]*.?|(?<text>\P{Cc}{16,})|.)/su;

/** A paste of which only the start has arrived, or the start of the mark before a paste. */
const incomplete = /^\u001b\[(?:2(?:0(?:0(?:~(?!.*\u001b\[201~).*)?)?)?)?$/s;

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
  const decoder = new TextDecoder();
  let rest = "";
  let isOpen = false;
  let next: NodeJS.Immediate | undefined;
  const feed = () => {
    next = undefined;
    if (rest === "" || incomplete.test(rest)) return;
    const [part = "", paste, text] = firstPart.exec(rest) ?? [];
    rest = rest.slice(part.length);
    next = setImmediate(feed);
    const inserted = paste?.replace(/[\r\n]+$/, "").replace(/\p{Cc}+/gu, " ") ?? text;
    if (inserted === undefined) keys.emit("data", Buffer.from(part));
    else if (inserted !== "") keys.emit("keypress", inserted, { sequence: inserted });
  };
  const onData = (data: Uint8Array) => {
    const arrived = decoder.decode(data, { stream: true });
    if (arrived.includes(ctrlC)) onCtrlC();
    if (!isOpen) return;
    rest += arrived.replace(dropped, "");
    next ??= setImmediate(feed);
  };
  stdin.on("data", onData).resume();
  return {
    keys,
    open: () => {
      isOpen = true;
    },
    close: () => {
      clearImmediate(next);
      stdin.off("data", onData).pause();
    },
  };
}
