import type { Environment } from "./urls.ts";

/** The locale that the environment sets for text; empty if it sets none. */
export const localeOf = (env: Environment): string => env.LC_ALL || env.LC_CTYPE || env.LANG || "";

/** Whether the environment sets a locale that is not UTF-8, such as `C`. Without a locale, UTF-8 is assumed. */
export const usesAscii = (env: Environment): boolean =>
  localeOf(env) !== "" && !/utf-?8/i.test(localeOf(env));

/** ASCII replacements for the symbols that gpuctl, its prompts and its spinner draw. Each is one column wide. */
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

/** Replacements for running text, where the width does not matter. Some are longer than the symbol. */
const longSymbols: Readonly<Record<string, string>> = { ...symbols, "…": "...", "⏎": "enter" };

const replaced = (text: string, by: Readonly<Record<string, string>>): string =>
  text.replace(/[^ -~\s]/gu, (symbol) => by[symbol] ?? symbol);

/**
 * Replaces symbols with ASCII, including symbols in text from the user or the service. Changes no other characters and
 * no widths.
 */
export const asciiTable = (text: string): string => replaced(text, symbols);
/** Like `asciiTable`, for running text. A replacement may be longer than its symbol. */
export const asciiText = (text: string): string => replaced(text, longSymbols);
