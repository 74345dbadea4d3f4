import type { GlobalNode, Noun } from "../command-kit/tree.ts";
import { environmentOf } from "./environment.ts";
import { exitCodes } from "./exit-codes.ts";

/** The tables of the README, by the names of their markers. */
export const readmeTables = (
  nouns: readonly Noun[],
  globals: readonly GlobalNode[],
): Readonly<Record<string, string>> => ({
  commands: table(
    ["Command", "What it does"],
    nouns.flatMap(({ commands }) =>
      commands.map(({ path, summary }) => [`\`gpuctl ${path.join(" ")}\``, summary]),
    ),
  ),
  environment: table(
    ["Variable", "Meaning", "Flag"],
    environmentOf(globals).map(({ name, meaning, flag }) => [
      name.split(", ").map(code).join(", "),
      meaning,
      flag ? code(flag) : "",
    ]),
  ),
  "exit-codes": table(
    ["Code", "When"],
    exitCodes.map(([number, meaning]) => [String(number), meaning]),
  ),
});

/**
 * Puts each table between its markers, `<!-- NAME -->` and `<!-- /NAME -->`.
 * Throws if the markers of a table are missing.
 */
export function withTables(readme: string, tables: Readonly<Record<string, string>>): string {
  return Object.entries(tables).reduce((text, [name, rows]) => {
    const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`no markers for the table ${name}`);
    return `${text.slice(0, from)}${begin}\n\n${rows}\n\n${text.slice(to)}`;
  }, readme);
}

/** Code in Markdown. */
export const code = (text: string): string => `\`${text}\``;

/** A Markdown table whose columns are aligned in the source. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [heads, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = heads.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[], fill = " "): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(" | ")} |`;
  const rule = line(Array<string>(heads.length).fill(""), "-");
  const [head = "", ...body] = cells.map((row) => line(row));
  return [head, rule, ...body].join("\n");
}
