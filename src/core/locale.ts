import type { Environment } from "./urls.ts";

/** The locale of texts; empty when the environment sets none. */
export const localeOf = (env: Environment): string => env.LC_ALL || env.LC_CTYPE || env.LANG || "";

/** Whether the environment sets a locale that is not UTF-8, such as `C`. Without a locale, terminals use UTF-8. */
export const usesAscii = (env: Environment): boolean =>
  localeOf(env) !== "" && !/utf-?8/i.test(localeOf(env));

/** The symbols that gpuctl, its prompts and its spinner draw, one column each. */
const symbols: Readonly<Record<string, string>> = {
  "…": "~",
  "✓": "+",
  "✔": "+",
  "✗": "x",
  "✘": "x",
  "✖": "x",
  "×": "x",
  "❯": ">",
  "›": ">",
  "→": ">",
  "←": "<",
  "↑": "^",
  "↓": "v",
  "•": "-",
  "·": "-",
  "–": "-",
  "—": "-",
  "─": "-",
  "│": "|",
  "█": "#",
  ...Object.fromEntries([..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"].map((frame, at) => [frame, "-\\|/"[at % 4] ?? "-"])),
};

/** Symbols that are longer in running text, which has no columns. */
const longSymbols: Readonly<Record<string, string>> = { ...symbols, "…": "...", "⏎": "enter" };

const replaced = (text: string, by: Readonly<Record<string, string>>): string =>
  text.replace(/[^ -~\s]/gu, (symbol) => by[symbol] ?? symbol);

/** Draws symbols in ASCII, also those in text of the user or the service. All other characters, and the widths of columns, stay as they are. */
export const asciiTable = (text: string): string => replaced(text, symbols);
/** As `asciiTable`, for running text: a replacement may be longer than its symbol. */
export const asciiText = (text: string): string => replaced(text, longSymbols);
