import type { CommandSettings } from "../../context/context.ts";
import type { Answer } from "../../output/answer.ts";
import { everyColumn } from "../../output/columns.ts";
import { recordsOf } from "../../output/records.ts";
import type { View } from "../../output/view.ts";
import { isRecord } from "../shared/records.ts";

export type Drawing = Pick<CommandSettings, "output" | "tableTyped">;

/** JSON of any shape in the format that was asked for; as JSON where none was. */
export function shown(data: unknown, { output, tableTyped }: Drawing): Answer {
  const asIs = output === "table" && !tableTyped;
  return { data, view: asIs ? { kind: "document" } : viewOf(data) };
}

/** A list shows the values inside its records as columns; a page of a list is one, and anything else a record. */
function viewOf(data: unknown): View {
  const list = { kind: "list", empty: "The answer is a list of nothing.", id: [] } as const;
  const records = recordsOf({ data }, { ...list, columns: [] });
  const id = idsIn(records);
  const single = data === null || (!Array.isArray(data) && records[0] === data);
  return single ? { kind: "record", id } : { ...list, columns: everyColumn(records), id };
}

/** Where records have their identifiers: `id`, else the first name that says so. */
function idsIn(records: readonly unknown[]): readonly string[] {
  const names = records.flatMap((record) => (isRecord(record) ? Object.keys(record) : []));
  const named = names.find((name) => /(?:[a-z]I|_i|^i)d$/.test(name));
  return ["id", ...(named === undefined ? [] : [named])];
}
