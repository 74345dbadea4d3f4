import { quoted } from "../../core/text.ts";

/**
 * Adds flags before `--` and arguments at the end of a command line. Adds `--` if an argument looks like a flag, or if
 * the arguments are the words of another command.
 */
export function wholeLine(
  argv: readonly string[],
  flags: readonly string[],
  args: readonly string[],
  { isCommandLine = false }: { readonly isCommandLine?: boolean } = {},
): readonly string[] {
  const [before, after] = splitAtEnd(argv);
  const isSeparated = isCommandLine || args.some((one) => one.startsWith("-"));
  const separator = after.length === 0 && isSeparated ? ["--"] : [];
  return [...before, ...flags, ...after, ...separator, ...args];
}

/** The same command line with `--yes`, so that it asks for no confirmation. */
export const withYes = (line: readonly string[]): readonly string[] => wholeLine(line, ["--yes"], []);

/**
 * Replaces flags on a command line, and their values, with another flag and its value. All of `names` are flags that
 * take a value.
 */
export function withFlagReplaced(
  line: readonly string[],
  names: readonly string[],
  flag: readonly string[],
): readonly string[] {
  const [before, after] = splitAtEnd(line);
  const kept = before.filter(
    (word, at) => !names.includes(before[at - 1] ?? "") && !names.includes(word.replace(/=.*/s, "")),
  );
  return wholeLine([...kept, ...after], flag, []);
}

/**
 * The message after prompts: the command line with the values that were prompted for. `asksNothing` is true if this
 * line asks for no confirmation either.
 */
export const againText = (line: readonly string[], asksNothing: boolean): string =>
  `To run this again ${asksNothing ? "without prompts" : "with the same values"}: gpuctl ${line.map(quoted).join(" ")}`;

/** The words before `--`, and the words from `--` to the end. */
function splitAtEnd(argv: readonly string[]): readonly [readonly string[], readonly string[]] {
  const end = argv.indexOf("--");
  return end < 0 ? [argv, []] : [argv.slice(0, end), argv.slice(end)];
}
