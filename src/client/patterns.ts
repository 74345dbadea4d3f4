import { createContext, Script } from "node:vm";

/** Regular expressions of somebody else, which may take for ever. */
export interface Patterns {
  /** What a schema checker makes of a pattern and its flags. Throws `SyntaxError` for what is no pattern. */
  readonly regExp: RegExpMaker;
  /** Patterns that took too long for a text, which counts as fitting. */
  readonly unchecked: ReadonlySet<string>;
}

/** `code` makes it one that the checker can call. */
interface RegExpMaker {
  (pattern: string, flags: string): { readonly test: (text: string) => boolean };
  readonly code: string;
}

/** Milliseconds for one text, and for all of them together. */
const mostForOne = 100;
const mostForAll = 2_000;

/** Patterns that have a limited time; one that needed more is not tried again. */
export function limitedPatterns(): Patterns {
  const unchecked = new Set<string>();
  const place: { matches?: () => boolean } = {};
  const context = createContext(place);
  const script = new Script("matches()");
  let left = mostForAll;

  /** Nothing when it takes too long. Just a script of its own can be stopped, and with it what it calls. */
  function inTime(matches: () => boolean): boolean | undefined {
    const start = performance.now();
    const timeout = Math.ceil(Math.min(mostForOne, left));
    if (timeout <= 0) return undefined;
    try {
      place.matches = matches;
      return script.runInContext(context, { timeout }) === true;
    } catch (error) {
      if (isTimeout(error)) return undefined;
      throw error;
    } finally {
      left -= performance.now() - start;
    }
  }

  const regExp = (pattern: string, flags: string) => {
    const expression = new RegExp(pattern, flags);
    return {
      test: (text: string): boolean => {
        if (unchecked.has(pattern)) return true;
        const fits = inTime(() => expression.test(text));
        if (fits === undefined) unchecked.add(pattern);
        return fits ?? true;
      },
      // The checker tells patterns apart by this.
      toString: () => String(expression),
    };
  };
  return { regExp: Object.assign(regExp, { code: "regExp" }), unchecked };
}

/** The error may be one of the script's own world. */
const isTimeout = (error: unknown): boolean =>
  typeof error === "object" &&
  error !== null &&
  "code" in error &&
  error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
