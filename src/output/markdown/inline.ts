import type { MarkedToken, Token, Tokens } from "marked";
import { Lexer } from "marked";
import type { Span } from "./wrap.ts";
import { lastWordStart, wordStart } from "./wrap.ts";

/** Styles by meaning. */
export interface Styles {
  /** False if the terminal shows no styles. In that case, the marks of Markdown are kept. */
  readonly color: boolean;
  readonly strong: Paint;
  readonly emphasis: Paint;
  readonly deleted: Paint;
  readonly code: Paint;
  readonly link: Paint;
  readonly dim: Paint;
  readonly heading: (depth: number) => Paint;
}
type Paint = (text: string) => string;

type Inline = Extract<
  MarkedToken,
  { type: "text" | "escape" | "strong" | "em" | "del" | "codespan" | "link" | "image" | "br" | "html" }
>;

/** The text of inline tokens with their styles. */
export function spansOf(tokens: readonly Token[], styles: Styles, paint?: Paint): readonly Span[] {
  return tokens.flatMap((token) => inlineSpans(token as Inline, styles, paint));
}

function inlineSpans(token: Inline, styles: Styles, outer: Paint | undefined): readonly Span[] {
  const { color } = styles;
  const both =
    (paint: Paint): Paint =>
    (text) =>
      outer ? outer(paint(text)) : paint(text);
  const marked = (mark: string, tokens: readonly Token[], paint: Paint): readonly Span[] => {
    const inner = spansOf(tokens, styles, both(paint));
    return color ? inner : [{ text: mark }, ...inner, { text: mark }];
  };
  switch (token.type) {
    case "strong":
      return marked("**", token.tokens, styles.strong);
    case "em":
      return marked("*", token.tokens, styles.emphasis);
    case "del": {
      if (token.raw.startsWith("~~")) return marked("~~", token.tokens, styles.deleted);
      // Single tildes usually mean "about" or "to", as in "~5" or "3~5".
      const tilde = { text: "~", paint: outer };
      return [tilde, ...spansOf(token.tokens, styles, outer), tilde];
    }
    case "codespan":
      return color ? [{ text: token.text, paint: both(styles.code) }] : [{ text: token.raw }];
    case "br":
      return [{ text: "\n" }];
    case "link": {
      const label = spansOf(token.tokens, styles, both(styles.link));
      const text = label.map((span) => span.text).join("");
      const isUrl = token.href === text || token.href === `mailto:${text}`;
      return isUrl ? label : [...label, { text: ` (${token.href})`, paint: both(styles.dim) }];
    }
    case "image":
      return [
        { text: decoded(token.text) || "image", paint: both(styles.link) },
        { text: ` (${token.href})`, paint: both(styles.dim) },
      ];
    case "html":
      return [{ text: /^<br\s*\/?>$/i.test(token.raw.trim()) ? "\n" : token.raw, paint: outer }];
    case "escape":
      return [{ text: token.text, paint: outer }];
    default: {
      const { tokens, text = "", raw = "" } = token as { tokens?: Token[]; text?: string; raw?: string };
      if (tokens) return spansOf(tokens, styles, outer);
      return [{ text: decoded(text || raw).replace(/\s*\n\s*/g, " "), paint: outer }];
    }
  }
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
};

/** Replaces HTML entities with their characters. `painted` later removes the control characters among them. */
const decoded = (text: string): string =>
  text.includes("&")
    ? text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,6}));/gi, (all, decimal, hex, name) => {
        if (name !== undefined) return entities[name] ?? all;
        const code = Number.parseInt(decimal ?? hex, decimal === undefined ? 16 : 10);
        return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
      })
    : text;

/** Matches what may open emphasis, code, a link, HTML or an entity. */
const openers = new RegExp(
  [
    "\\*(?!\\s)",
    "(?<![\\p{L}\\p{N}])_(?!\\s)",
    "`",
    "~~",
    "!?\\[(?![^\\]]*\\][^(\\[])",
    "<(?=[a-z/!?]|$)",
    "&[#\\w]*$",
    "\\\\$",
  ].join("|"),
  "giu",
);

/** Maximum number of characters that are held back after a mark that could still be closed. Longer text is shown. */
export const maxHeld = 300;

/**
 * Returns the first part of an unfinished paragraph: the part that later text cannot change. It ends between words and
 * outside of marks.
 */
export function settled(text: string): string {
  let offset = 0;
  const tokens = (Lexer.lexInline(text) as Tokens.Generic[]).map((token) => {
    const start = offset;
    offset += token.raw.length;
    return { token, start, end: offset };
  });
  let place = unsettledFrom(text, tokens);
  for (;;) {
    const start = wordStart(text, place);
    if (start === place) return text.slice(0, place);
    // The word may have started within marks, such as those of the emphasis in "*two words*`code`".
    place = tokens.find((span) => span.token.type !== "text" && span.end > start)?.start ?? start;
    place = Math.min(place, start);
  }
}

/** An inline token and its position in the text. */
interface Located {
  readonly token: Tokens.Generic;
  readonly start: number;
  readonly end: number;
}

/** The position of the first mark that may still be closed, or of the last word, whichever comes first. */
function unsettledFrom(text: string, tokens: readonly Located[]): number {
  const last = lastWordStart(text);
  for (const { token, start, end } of tokens) {
    const { type, raw, tokens: inner } = token;
    const left = text.length - start;
    const opener =
      type === "text" ? openerIn(raw, left) : left <= maxHeld && hasTighter(inner) ? 0 : undefined;
    if (opener !== undefined) return Math.min(start + opener, last);
    if (last <= end) return type === "text" || last === end ? last : start;
  }
  return last;
}

/** Whether code, a link or HTML may start inside emphasis and end after it. In that case, the text is not emphasis. */
const hasTighter = (tokens: readonly Token[] | undefined): boolean =>
  tokens?.some((token) =>
    token.type === "text" ? /[`<[]/.test(token.raw) : "tokens" in token && hasTighter(token.tokens),
  ) === true;

/**
 * The position of the first mark that may still be closed. `left` is the number of characters from the start of `raw`
 * to the end of the text.
 */
const openerIn = (raw: string, left: number): number | undefined =>
  [...raw.matchAll(openers)].find(({ index }) => left - index <= maxHeld)?.index;
