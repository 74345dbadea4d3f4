import type { Environment } from "./urls.ts";

/** The locale of text; empty if none is set. */
export const localeOf = (env: Environment): string => env.LC_ALL || env.LC_CTYPE || env.LANG || "";

/** Whether a terminal of this environment shows more than ASCII. */
export const usesUtf8 = (env: Environment): boolean => /utf-?8/i.test(localeOf(env));
