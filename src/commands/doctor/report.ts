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
  for (const { check, status, message, advice } of found) {
    yield `${sign[status]} ${status.padEnd("warning".length)}  ${check.padEnd(width)}  ${message}\n`;
    if (advice !== undefined) yield `${" ".repeat(width + 13)}${advice}\n`;
  }
  const count = (wanted: Checked["status"]) => found.filter(({ status }) => status === wanted).length;
  yield `\n${count("ok")} ok, ${count("warning")} to be warned of, ${count("failure")} failed\n`;
}
