import { setImmediate } from "node:timers/promises";
import { Chalk } from "chalk";
import { Lexer, type Token } from "marked";
import { type Drawing, type Drawn, drawBlock, endsInBlankLine, fencedCode } from "./blocks.ts";
import type { Styles } from "./inline.ts";
import { longWordFinder } from "./long-word.ts";
import { painted, textOf } from "./wrap.ts";

export interface MarkdownOptions {
  /** The current number of columns of the terminal. */
  readonly width: () => number;
  readonly color: boolean;
}

/**
 * Draws Markdown as it arrives. The returned text is printed only once: the cursor never moves back to change it.
 */
export interface MarkdownDrawer {
  /** Adds text, which must not contain control sequences. Returns the part that can now be printed. */
  readonly add: (text: string) => Promise<string>;
  /** Draws the rest of the text. */
  readonly end: () => Promise<string>;
}

const noColors = () => undefined;

/** Longer lines are hard to read. */
const maxWidth = 120;

/** Longer text is drawn in parts of this many characters, so that the user can interrupt the drawing. */
const partLength = 16_384;

/**
 * Maximum length of a block in characters. A block is parsed again whenever text is added, so the text after this
 * length is plain.
 */
const maxBlock = 65_536;

/**
 * Maximum length of a word in characters. The time to parse a word can grow with the square of its length, for example
 * if the word consists of marks. The first longer word outside of fenced code, and all text after it, is plain.
 */
const maxWord = 8_192;

/** Maximum nesting of lists and quotes. Text that is nested more deeply is plain. */
const maxDepth = 16;

/**
 * Creates a drawer of Markdown. It draws words of a paragraph, lines of code and items of a list as soon as they are
 * complete, and a table as soon as all of it has arrived. If a block is nested too deeply, is too long, has a word that
 * is too long, or cannot be parsed, the rest of the text is plain.
 */
export function createMarkdownDrawer({ width, color }: MarkdownOptions): MarkdownDrawer {
  const styles = stylesFor(color);
  let highlight: Drawing["highlight"] = noColors;
  /** The source, from the start of the unfinished block. */
  let source = "";
  /** The whole lines of that block that are drawn, without styles, and what is drawn of the next line. */
  let drawnLines: string[] = [];
  let drawnText = "";
  /** The source between the start of the previous block and the start of the unfinished block. */
  let passed = "";
  let isFirst = true;
  /** A block keeps its first width, because a different width would change lines that are already drawn. */
  let blockWidth: number | undefined;
  const findLongWord = longWordFinder(maxWord);
  let isPlain = false;
  let endsLine = true;

  /** Whether a line can be drawn by adding to what is drawn. */
  const isContinued = (text: string, at: number): boolean => {
    const whole = drawnLines[at];
    if (whole !== undefined) return whole.startsWith(text);
    return at > drawnLines.length || text.startsWith(drawnText) || drawnText.startsWith(text);
  };

  const drawOne = (token: Token, open: boolean): string => {
    blockWidth ??= Math.max(10, Math.min(width() || 80, maxWidth));
    const { lines, isOpen } = drawBlock(token, { width: blockWidth, styles, highlight }, open);
    if (lines.length === 0) return "";
    let shown = "";
    if (!isFirst && drawnLines.length === 0 && drawnText === "" && endsInBlankLine(passed)) shown += "\n";
    isFirst = false;
    const texts = lines.map((drawn) => ("code" in drawn ? "" : textOf(drawn.line)));
    // Text that follows may change how a line is drawn, for example if the line becomes the header of a table. It is
    // better to draw such a line twice than to lose some of it.
    const changed = lines.findIndex((drawn, at) => "line" in drawn && !isContinued(texts[at] ?? "", at));
    if (changed >= 0) {
      if (drawnText !== "") shown += "\n";
      drawnLines = drawnLines.slice(0, changed);
      drawnText = "";
    }
    for (const [at, drawn] of lines.entries()) {
      if (at < drawnLines.length) continue;
      const text = texts[at] ?? "";
      shown += lineText(drawn, drawnText.length);
      if (isOpen && at === lines.length - 1) {
        if (text.length > drawnText.length) drawnText = text;
        return shown;
      }
      shown += "\n";
      drawnText = "";
      drawnLines.push(text);
    }
    return shown;
  };

  const finishBlock = () => {
    drawnLines = [];
    drawnText = "";
    blockWidth = undefined;
  };

  /** Draws what can be drawn of the source, and removes the complete blocks from the source. */
  const draw = (ended: boolean): string => {
    const usable = ended ? source : source.slice(0, usableEnd(source));
    let shown = "";
    let used = 0;
    try {
      const tokens = new Lexer({ gfm: true }).lex(usable);
      const last = tokens.findLast(({ type }) => type !== "space");
      for (const token of tokens) {
        const isOpen = token === last && !ended && !isFinal(token, usable.slice(used));
        if (token.type !== "space") shown += drawOne(token, isOpen);
        if (isOpen) break;
        if (token.type !== "space") {
          // An open line is now complete.
          if (drawnText !== "") shown += "\n";
          finishBlock();
          passed = "";
        }
        used += token.raw.length;
        passed += token.raw;
      }
    } catch {
      // The parser failed, for example because thousands of marks are nested. It is better to print some text twice
      // than to lose it.
      isPlain = true;
      if (drawnText !== "") shown += "\n";
    }
    source = source.slice(used);
    return shown;
  };

  /**
   * Draws the source up to `end` as if nothing followed. The rest of the source, and all text that is added later, is
   * plain.
   */
  const drawUpTo = (end: number): string => {
    const rest = source.slice(end);
    source = source.slice(0, end);
    let shown = draw(true);
    // Keeps the blank line between the drawn text and the plain text.
    if (!isPlain && !isFirst && endsInBlankLine(passed)) shown += "\n";
    isPlain = true;
    source += rest;
    return shown;
  };

  const drawPart = (part: string): string => {
    const lineStart = source.lastIndexOf("\n") + 1;
    const longWord = findLongWord(part);
    const longAt = longWord === undefined ? undefined : Math.max(0, source.length + longWord);
    source += part;
    let shown = "";
    if (!isPlain) {
      const end = deepLine(source, lineStart) ?? (startsWithCode(source) ? undefined : longAt);
      if (end !== undefined) shown = drawUpTo(end);
      else {
        shown = draw(false);
        if (!isPlain && source.length > maxBlock) shown += drawUpTo(lastBreak(source));
      }
    }
    if (isPlain) {
      shown += source;
      source = "";
    }
    if (shown !== "") endsLine = shown.endsWith("\n");
    return shown;
  };

  return {
    add: async (text) => {
      const added = text.replaceAll("\t", "    ");
      if (color && highlight === noColors && /```|~~~/.test(source + added)) {
        highlight = (await import("./highlight.ts")).createHighlighter();
      }
      const shown: string[] = [];
      for (let start = 0; start < added.length; start += partLength) {
        if (start > 0) await setImmediate();
        shown.push(drawPart(added.slice(start, start + partLength)));
      }
      return shown.join("");
    },
    end: async () => {
      const shown = isPlain ? "" : draw(true);
      const rest = isPlain ? source : "";
      source = "";
      const all = shown + rest;
      const isEnded = all === "" ? endsLine : all.endsWith("\n");
      return isPlain && !isEnded ? `${all}\n` : all;
    },
  };
}

/** Matches list marks, `>` and spaces at the start of a line. They can nest the text in lists and quotes. */
const nesting = /^(?: |>|[*+-](?= |$)|\d{1,9}[.)](?= |$))+/gm;
const mark = />|[*+-]|\d+[.)]/g;

/** The start of the first line that is nested too deeply. The search starts at the line that begins at `from`. */
function deepLine(source: string, from: number): number | undefined {
  for (const { 0: start, index } of source.slice(from).matchAll(nesting)) {
    const marks = start.match(mark)?.length ?? 0;
    // Items are also nested by indentation alone.
    const isDeep = marks > maxDepth || (marks > 0 && start.length > 8 * maxDepth);
    if (isDeep) return from + index;
  }
  return undefined;
}

/** Whether a text starts with fenced code, which may have words of any length. */
const startsWithCode = (source: string): boolean => /^ {0,3}(?:```|~~~)/.test(source);

/** Where a text can be divided: after its last line break, else after its last space, else at its end. */
const lastBreak = (text: string): number =>
  text.lastIndexOf("\n") + 1 || text.lastIndexOf(" ") + 1 || text.length;

/**
 * Whether a block is final, because text that follows cannot change it. `rest` is the source from the start of the
 * block.
 */
function isFinal({ type, raw }: Token, rest: string): boolean {
  if (type === "list") return false;
  if (type === "heading" && raw.startsWith("#")) return rest.includes("\n");
  if (type === "hr") return rest.includes("\n");
  if (type === "code") {
    return fencedCode(raw).isClosed && rest.slice(raw.trimEnd().length).startsWith("\n");
  }
  return endsInBlankLine(rest) || endsInBlankLine(raw);
}

/**
 * The end of the part of the source that can be parsed now. An unfinished line is left out if it could still become the
 * start of a list, a fence or a table, or the underline of a heading.
 */
function usableEnd(source: string): number {
  const lineStart = source.lastIndexOf("\n") + 1;
  const line = source.slice(lineStart);
  const isClear =
    /^(?:[\s>#*+\-_=~:\d.)[\]x]|\\)*[^\s>#*+\-_=~:\d.)[\]x\\|`]/i.test(line) &&
    !/^[\s>*+\-\d.)]*(?:```|~~~)/.test(line);
  return isClear ? source.length : lineStart;
}

const lineText = (drawn: Drawn, skipped: number): string =>
  "code" in drawn ? drawn.code : painted(drawn.line, skipped);

const asIs = (text: string): string => text;

function stylesFor(color: boolean): Styles {
  if (!color) {
    return {
      color,
      strong: asIs,
      emphasis: asIs,
      deleted: asIs,
      code: asIs,
      link: asIs,
      dim: asIs,
      heading: () => asIs,
    };
  }
  const chalk = new Chalk({ level: 1 });
  return {
    color,
    strong: chalk.bold,
    emphasis: chalk.italic,
    deleted: chalk.strikethrough,
    code: chalk.cyan,
    link: chalk.underline,
    dim: chalk.dim,
    heading: (depth) => (depth === 1 ? chalk.bold.underline : chalk.bold),
  };
}
