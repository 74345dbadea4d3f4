import type { Context } from "../../command-kit/context.ts";
import type { Command } from "../../command-kit/define.ts";
import { recordsOf } from "../../command-kit/responses.ts";
import type { LiveValue } from "../../command-kit/values.ts";
import { firstAt } from "../../core/json.ts";
import type { Result } from "../../core/result.ts";
import type { Column, ListView } from "../../core/view.ts";
import { clip, displayWidth } from "../../output/display-width.ts";
import { type FormatOptions, formatted } from "../../output/formats.ts";
import { isWord, oneLine, plainText } from "../../output/text.ts";
import { loaders } from "../generated/loaders.ts";

/** The command that lists the values of a kind. Kinds without such a command are left out. */
const listCommands: Readonly<Partial<Record<LiveValue, string>>> = {
  rental: "rentals list",
  volume: "volumes list",
  profile: "profile list",
  "ssh-key": "ssh-keys list",
  "api-key": "api-keys list",
  "chat-model": "chat models",
  "chat-session": "chat sessions list",
};

/** Current values, and how to show them. */
export interface Live {
  readonly records: readonly unknown[];
  readonly view: ListView;
}

/** Returns the ports that a command uses. */
export type PortsFor = (command: Command) => Promise<object>;

/** Lists the values of a kind by running the command that lists them. Throws the same errors as that command. */
export async function liveRecords(kind: LiveValue, context: Context, portsFor: PortsFor): Promise<Live> {
  const command = (await loaders[listCommands[kind] ?? ""]?.())?.default;
  if (command?.view.kind !== "list") throw new Error(`no command lists values of the kind ${kind}`);
  const result = await command.run({
    ...context,
    ...(await portsFor(command)),
    input: {},
    flags: {},
    args: {},
  });
  return { records: await recordsIn(result), view: command.view };
}

async function recordsIn(result: Result): Promise<readonly unknown[]> {
  if ("data" in result) return recordsOf(result.rows ?? result.data);
  const all: unknown[] = [];
  if (!("records" in result)) return all;
  for await (const some of result.rows ?? result.records) for (const record of some) all.push(record);
  return all;
}

/** Values to choose from, and the label to show for each. */
export interface LiveChoices {
  readonly choices: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

interface ChoiceOptions extends FormatOptions {
  /** Columns of the terminal. */
  readonly width: number;
  /** Only records with this text in a column. */
  readonly only?: { readonly column: string; readonly text: string } | undefined;
}

/**
 * The IDs of records. Each label shows as many columns of the list command as fit. Columns that are empty for all
 * records are left out.
 */
export function liveChoices(
  { records, view }: Live,
  { only, width, ...options }: ChoiceOptions,
): LiveChoices {
  const cell = (record: unknown, column: Column) => oneLine(formatted(record, column, options), true);
  const kept = records.filter((record) => {
    const column = view.columns.find(({ title }) => title === only?.column);
    return column === undefined || cell(record, column) === only?.text;
  });
  const rows = kept.map((record) => ({
    id: plainText(firstAt(record, view.id)),
    cells: view.columns.map((column) => withUnit(cell(record, column), column)),
  }));
  const widths = view.columns.map((_, at) =>
    rows.reduce((most, { cells }) => Math.max(most, textWidth(cells[at])), 0),
  );
  const entries = rows
    .filter(({ id }) => isWord(id))
    .map(({ id, cells }) => [id, fitted(cells, widths, width - markWidth)] as const);
  return { choices: [...new Set(entries.map(([id]) => id))], labels: Object.fromEntries(entries) };
}

/** Width of the mark before the chosen line. */
const markWidth = 2;
const gap = 2;

const textWidth = (text = ""): number => displayWidth(text, Number.POSITIVE_INFINITY);

/** Cells side by side, padded to their widths. Leaves out cells that do not fit, but always shows the first one. */
function fitted(cells: readonly string[], widths: readonly number[], width: number): string {
  let line = "";
  let used = 0;
  for (const [at, cell] of cells.entries()) {
    const columnWidth = widths[at] ?? 0;
    if (columnWidth === 0) continue;
    if (used > 0 && used + gap + columnWidth > width) continue;
    line += (used > 0 ? " ".repeat(gap) : "") + cell + " ".repeat(columnWidth - textWidth(cell));
    used += (used > 0 ? gap : 0) + columnWidth;
  }
  return clip(line.trimEnd(), Math.max(width, 1));
}

/** Adds the unit to a number, because choices are shown without column titles: `$2.00/h`, `1024 GB`. */
function withUnit(text: string, { title, format }: Column): string {
  if (text === "" || (format !== "cents" && format !== "number")) return text;
  return format === "cents"
    ? `${text}${title.replace(/^\$/, "").toLowerCase()}`
    : `${text} ${title.split(" ").at(-1)}`;
}
