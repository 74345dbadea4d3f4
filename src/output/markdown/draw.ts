import { Chalk } from "chalk";
import { Lexer, type Token } from "marked";
import { type Drawing, type Drawn, drawBlock, endsInBlankLine, fencedCode } from "./blocks.ts";
import type { Styles } from "./inline.ts";
import { lengthOf, painted } from "./wrap.ts";

export interface MarkdownOptions {
  /** Columns of the terminal, which may change. */
  readonly width: () => number;
  readonly color: boolean;
}

/** Draws Markdown as it arrives. What it returns is printed once: it never moves the cursor. */
export interface MarkdownDrawer {
  /** Adds text without control sequences, and returns what can be drawn of it. */
  readonly add: (text: string) => Promise<string>;
  /** Draws the rest. */
  readonly end: () => Promise<string>;
}

const noColors = () => undefined;

/** Longer lines are hard to read. */
const maxWidth = 120;

/**
 * Creates a drawer of Markdown. It draws words of a paragraph, lines of code and items of a list once they are complete, and
 * a table once all of it has arrived.
 */
export function createMarkdownDrawer({ width, color }: MarkdownOptions): MarkdownDrawer {
  const styles = stylesFor(color);
  let highlight: Drawing["highlight"] = noColors;
  /** The source from the start of the unfinished block on. */
  let source = "";
  /** What is drawn of that block. */
  let drawnLines = 0;
  let drawnCharacters = 0;
  /** The end of the source before that block. */
  let passed = "";
  let isFirst = true;
  /** A block keeps the width with which it started, because a different one would change the lines that are drawn. */
  let blockWidth: number | undefined;

  const drawOne = (token: Token, open: boolean): string => {
    blockWidth ??= Math.max(10, Math.min(width() || 80, maxWidth));
    const { lines, isOpen } = drawBlock(token, { width: blockWidth, styles, highlight }, open);
    if (lines.length === 0) return "";
    let shown = "";
    if (!isFirst && drawnLines === 0 && drawnCharacters === 0 && endsInBlankLine(passed)) shown += "\n";
    isFirst = false;
    for (const [at, drawn] of lines.entries()) {
      if (at < drawnLines) continue;
      shown += lineText(drawn, drawnCharacters);
      if (isOpen && at === lines.length - 1) {
        drawnCharacters = Math.max(drawnCharacters, "code" in drawn ? 0 : lengthOf(drawn.line));
        return shown;
      }
      shown += "\n";
      drawnCharacters = 0;
      drawnLines = at + 1;
    }
    return shown;
  };

  const finishBlock = () => {
    drawnLines = 0;
    drawnCharacters = 0;
    blockWidth = undefined;
  };

  const draw = (ended: boolean): string => {
    const usable = ended ? source : source.slice(0, usableEnd(source));
    const tokens = new Lexer({ gfm: true }).lex(usable);
    let shown = "";
    let used = 0;
    const last = tokens.findLast(({ type }) => type !== "space");
    for (const token of tokens) {
      const isOpen = token === last && !ended && !isFinal(token, usable.slice(used));
      if (token.type !== "space") shown += drawOne(token, isOpen);
      if (isOpen) break;
      if (token.type !== "space") {
        // An open line that turned out to be complete.
        if (drawnCharacters > 0) shown += "\n";
        finishBlock();
        passed = "";
      }
      used += token.raw.length;
      passed += token.raw;
    }
    source = source.slice(used);
    return shown;
  };

  return {
    add: async (text) => {
      source += text.replaceAll("\t", "    ");
      if (color && highlight === noColors && /```|~~~/.test(source)) {
        highlight = (await import("./highlight.ts")).createHighlighter();
      }
      return draw(false);
    },
    end: async () => draw(true),
  };
}

/** Whether text that follows cannot change a block. `rest` starts with its source. */
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
 * The end of the part of the source whose meaning is settled: an unfinished line that could still
 * become the start of a list, a fence, a table or the underline of a heading is left out.
 */
function usableEnd(source: string): number {
  const lineStart = source.lastIndexOf("\n") + 1;
  const line = source.slice(lineStart);
  const isClear =
    /^(?:[\s>#*+\-_=~\d.)[\]x]|\\)*[^\s>#*+\-_=~\d.)[\]x\\|`]/i.test(line) &&
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
