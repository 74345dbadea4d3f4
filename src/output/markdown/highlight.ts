import { Chalk } from "chalk";
import highlightJs from "#highlight.js";

/** Colors code; undefined for an unknown language. */
export type Highlight = (code: string, language: string) => string | undefined;

/**
 * Creates a function that colors code. The function remembers the last code that ended at the end of a line, and
 * outside of strings, comments and the like. If the next code starts with the remembered code, only the rest is parsed.
 */
export function createHighlighter(): Highlight {
  let known = { language: "", code: "", colored: "" };
  return (code, language) => {
    if (highlightJs.getLanguage(language) === undefined) return undefined;
    const before = known.language === language && code.startsWith(known.code) ? known : undefined;
    const rest = code.slice(before?.code.length ?? 0);
    const { value, _top } = highlightJs.highlight(rest, { language, ignoreIllegals: true });
    const colored = (before?.colored ?? "") + inColors(value);
    if (code.endsWith("\n") && _top !== undefined && _top.parent === undefined)
      known = { language, code, colored };
    return colored;
  };
}

const chalk = new Chalk({ level: 1 });

/** Colors that are readable on dark and on light backgrounds, by the class names of highlight.js. */
const colors: Readonly<Record<string, (text: string) => string>> = {
  comment: chalk.dim,
  quote: chalk.dim,
  doctag: chalk.dim,
  meta: chalk.dim,
  keyword: chalk.magenta,
  "selector-tag": chalk.magenta,
  literal: chalk.magenta,
  type: chalk.cyan,
  built_in: chalk.cyan,
  number: chalk.cyan,
  symbol: chalk.cyan,
  bullet: chalk.cyan,
  string: chalk.green,
  regexp: chalk.green,
  addition: chalk.green,
  deletion: chalk.red,
  title: chalk.blue,
  section: chalk.blue,
  name: chalk.blue,
  attr: chalk.blue,
  attribute: chalk.blue,
  "selector-class": chalk.blue,
  "selector-id": chalk.blue,
  emphasis: chalk.italic,
  strong: chalk.bold,
};

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
};

/** Converts the HTML of highlight.js to terminal colors. The innermost color is used. */
function inColors(html: string): string {
  const open: (string | undefined)[] = [];
  const runs: { text: string; readonly paint: ((text: string) => string) | undefined }[] = [];
  for (const [part, name] of html.matchAll(
    /<span class="(?:hljs-)?([\w-]*)[^>]*>|<\/span>|&[#\w]+;|[^<&]+/g,
  )) {
    if (part.startsWith("<span")) open.push(name);
    else if (part === "</span>") open.pop();
    else {
      const paint = open.map((one) => colors[one ?? ""]).findLast((one) => one !== undefined);
      const last = runs.at(-1);
      const text = entities[part] ?? part;
      if (last && last.paint === paint) last.text += text;
      else runs.push({ text, paint });
    }
  }
  return runs.map(({ text, paint }) => (paint ? paint(text) : text)).join("");
}
