import type { Installation } from "../../context/context.ts";
import type { Checked } from "./finding.ts";

const signs = { ok: "✓", warning: "!", failure: "✗" };
const plainSigns = { ok: "+", warning: "!", failure: "x" };

/** A line for each check with a sign and a word, and what to do under it; then how many of each there are. */
export async function* reportText(
  found: readonly Checked[],
  { env, terminal }: Pick<Installation, "env" | "terminal">,
): AsyncGenerator<string> {
  const plain =
    terminal.stdout && (env.TERM === "dumb" || !/utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || ""));
  const sign = plain ? plainSigns : signs;
  const width = Math.max(...found.map(({ check }) => check.length));
  const indent = " ".repeat(width + "x warning    ".length);
  const room =
    terminal.stdout && terminal.columns > 0 ? terminal.columns - indent.length : Number.POSITIVE_INFINITY;
  for (const { check, status, message, advice } of found) {
    const [first = "", ...rest] = [message, ...(advice === undefined ? [] : [advice])].flatMap(wrap(room));
    yield `${sign[status]} ${status.padEnd("warning".length)}  ${check.padEnd(width)}  ${first}\n`;
    for (const line of rest) yield `${indent}${line}\n`;
  }
  const count = (wanted: Checked["status"]) => found.filter(({ status }) => status === wanted).length;
  yield `\n${count("ok")} ok, ${count("warning")} to be warned of, ${count("failure")} failed\n`;
}

/** Lines of so many columns; a word that is longer, such as a path, is left whole. */
const wrap =
  (columns: number) =>
  (text: string): readonly string[] => {
    const lines: string[] = [];
    for (const word of text.split(" ")) {
      const last = lines.at(-1);
      if (last !== undefined && last.length + word.length < columns)
        lines[lines.length - 1] = `${last} ${word}`;
      else lines.push(word);
    }
    return lines;
  };
