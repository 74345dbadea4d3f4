import type { LineEditor } from "../../../system/types.ts";

/**
 * A message or a command, or the key that was pressed instead: "end" for Ctrl-D, "canceled" for Ctrl-C that discarded
 * an entry, "empty" for any other Ctrl-C.
 */
export type Entry = Typed | "canceled" | "empty" | "end";

interface Typed {
  readonly text: string;
  /** True if the text is a message even when it starts with `/`. */
  readonly isMessage?: boolean;
}

const prompt = ">>> ";
const continued = "... ";

/** Starts and ends a message of several lines. */
const fence = '"""';
/** Ends a message that was started with /multi. */
export const multiEnd = "/end";

/** Reads a message or command of one line, or a message of several lines between `"""`. */
export async function readEntry(editor: LineEditor): Promise<Entry> {
  const read = await editor.read(prompt);
  if ("key" in read) return read.key === "ctrl-d" ? "end" : read.cleared ? "canceled" : "empty";
  const { line } = read;
  const opening = line.trimStart();
  if (!opening.startsWith(fence)) return { text: line };
  const first = opening.slice(fence.length);
  if (first.trimEnd().endsWith(fence)) {
    return { text: first.trimEnd().slice(0, -fence.length), isMessage: true };
  }
  return readLines(editor, first === "" ? [] : [first], (next) => {
    const end = next.trimEnd();
    return end.endsWith(fence) ? end.slice(0, -fence.length) : undefined;
  });
}

/** Reads a message of several lines, up to a line with `/end`. */
export const readMulti = (editor: LineEditor): Promise<Entry> =>
  readLines(editor, [], (line) => (line.trim() === multiEnd ? "" : undefined));

/** Reads lines until `lastPart` returns a text: the part of the last line that belongs to the message. */
async function readLines(
  editor: LineEditor,
  lines: readonly string[],
  lastPart: (line: string) => string | undefined,
): Promise<Entry> {
  const read: string[] = [...lines];
  for (;;) {
    const next = await editor.read(continued);
    if ("key" in next) return next.key === "ctrl-d" ? "end" : "canceled";
    const part = lastPart(next.line);
    if (part === undefined) {
      read.push(next.line);
      continue;
    }
    return { text: [...read, ...(part === "" ? [] : [part])].join("\n"), isMessage: true };
  }
}
